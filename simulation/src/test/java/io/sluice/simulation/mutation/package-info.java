/** Tests. */
@NullMarked
package io.sluice.simulation.mutation;

import org.jspecify.annotations.NullMarked;
