package io.sluice.cassandra.load;

import io.sluice.cassandra.ring.CassandraNode;
import io.sluice.sstable.token.TokenRanges;

/**
 * A node that is to be loaded. Immutable.
 *
 * @param owned what it owns of the ring in the keyspace
 * @param wireVersion that it agreed to: 12 or 13
 */
public record Receiver(CassandraNode node, TokenRanges owned, int wireVersion) {}
