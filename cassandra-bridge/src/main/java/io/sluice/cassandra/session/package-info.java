/**
 * The decisions of one session with a Cassandra node, as in {@code io.sluice.streaming.session}: events in, actions
 * out. No I/O, no threads, no clocks. The table of each session states which events are allowed in which state;
 * {@code docs/cassandra.md} prints the tables.
 */
@NullMarked
package io.sluice.cassandra.session;

import org.jspecify.annotations.NullMarked;
