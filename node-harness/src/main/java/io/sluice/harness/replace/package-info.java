/**
 * Brings the data of a Cassandra node that joins, by the agents beside all nodes: what may be done is judged, the
 * node's own plan is given to sources, everything is pinned, moved, verified by digests, imported and marked, and the
 * node goes on.
 */
@NullMarked
package io.sluice.harness.replace;

import org.jspecify.annotations.NullMarked;
