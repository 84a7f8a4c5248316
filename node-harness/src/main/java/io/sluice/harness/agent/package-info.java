/**
 * The process beside a Cassandra node: pins its tables by snapshots, receives SSTables from other agents, imports them,
 * controls the hook in a joining node, and slows down while reads of its node do. Embeds a {@code StreamingNode} as any
 * database would.
 */
@NullMarked
package io.sluice.harness.agent;

import org.jspecify.annotations.NullMarked;
