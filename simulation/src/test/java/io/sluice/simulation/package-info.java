/** Tests. */
@NullMarked
package io.sluice.simulation;

import org.jspecify.annotations.NullMarked;
