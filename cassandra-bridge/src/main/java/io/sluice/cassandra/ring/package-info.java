/** Reads from a live Cassandra cluster over CQL: its nodes, the token ranges that they own, and its tables. */
@NullMarked
package io.sluice.cassandra.ring;

import org.jspecify.annotations.NullMarked;
