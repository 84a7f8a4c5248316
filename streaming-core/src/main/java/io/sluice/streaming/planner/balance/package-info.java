/**
 * Assigns pieces of data to possible senders, so that the last sender finishes as early as possible: works on numbers,
 * without a ring. Pure and deterministic.
 *
 * <p>Idea: a largest-first assignment is nearly always good. Mostly the time of all bytes divided among all sources
 * proves it, otherwise a maximum flow does. If pieces could be divided arbitrarily, the senders could finish by a time
 * T iff the flow from the pieces through the senders, each with its capacity until T, carries all bytes. If it does
 * not, its minimum cut names senders that cannot send in time the pieces that only they have; the time that they need
 * is the next T. After a few cuts T is the lower bound, and the bottleneck its proof.
 */
@NullMarked
package io.sluice.streaming.planner.balance;

import org.jspecify.annotations.NullMarked;
