/**
 * Simulates a whole cluster in one thread, from one seed: the production engine behind its seams, on a disk that loses
 * what was not synced, a network that cuts and stalls, and processes that die at any operation.
 *
 * <p>{@link io.sluice.simulation.Simulation} runs one seed. All randomness comes from the seed, so the same seed gives
 * the same run, to the last event.
 */
@NullMarked
package io.sluice.simulation;

import org.jspecify.annotations.NullMarked;
