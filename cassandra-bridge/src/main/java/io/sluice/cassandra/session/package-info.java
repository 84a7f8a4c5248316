/**
 * The decisions of one session with a Cassandra node, as in {@code io.sluice.streaming.session}: events in, actions
 * out. No I/O, no threads, no clocks. What may happen when is in the table of each session, which
 * {@code docs/cassandra.md} prints.
 */
@NullMarked
package io.sluice.cassandra.session;

import org.jspecify.annotations.NullMarked;
