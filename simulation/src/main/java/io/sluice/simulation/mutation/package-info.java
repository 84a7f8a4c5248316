/**
 * Defects planted in the production source, to see that the simulation, or a unit test, finds them. None of them is in
 * any class that is shipped: {@code mutants.txt} lists small changes of the source, which are compiled when they are
 * tried, and only then.
 */
@NullMarked
package io.sluice.simulation.mutation;

import org.jspecify.annotations.NullMarked;
