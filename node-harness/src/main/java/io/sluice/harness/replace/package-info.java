/**
 * Brings the data of a Cassandra node that joins, or of a member that lacks data, by the agents beside all nodes: what
 * may be done is judged, sources are given the plan (of a node that joins: its own), everything is pinned, moved,
 * verified by digests, imported and recorded, and a node that joins goes on.
 */
@NullMarked
package io.sluice.harness.replace;

import org.jspecify.annotations.NullMarked;
