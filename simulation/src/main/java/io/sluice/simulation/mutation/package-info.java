/**
 * Defects planted in the production source, to verify that the simulation, or a unit test, finds them. No shipped class
 * contains them: {@code mutants.txt} lists small changes of the source, which are compiled only when they are tried.
 */
@NullMarked
package io.sluice.simulation.mutation;

import org.jspecify.annotations.NullMarked;
