/**
 * Gives pieces of data to those who may send them, so that the last sender finishes as early as possible: plain
 * numbers, no ring. Pure and deterministic.
 *
 * <p>Idea: an assignment largest first is nearly always good; a maximum flow proves how good. If every piece could be
 * poured in any proportions, senders could finish by a time T iff the flow from the pieces through the senders, each
 * with the capacity that it has until T, carries all bytes. If it does not, its minimum cut names senders that are too
 * few for the pieces that only they have; the time that those need is the next T. After a few cuts T is the lower
 * bound, with the bottleneck as its proof.
 */
@NullMarked
package io.sluice.streaming.planner.balance;

import org.jspecify.annotations.NullMarked;
