/** Tests. */
@NullMarked
package io.sluice.simulation.cassandra;

import org.jspecify.annotations.NullMarked;
