package io.sluice.cassandra.load;

import io.sluice.cassandra.ring.CassandraNode;
import io.sluice.sstable.token.TokenRanges;

/**
 * A node to load. Immutable.
 *
 * @param owned token ranges of the keyspace that the node owns
 * @param wireVersion agreed version of the protocol: 12 or 13
 */
public record Receiver(CassandraNode node, TokenRanges owned, int wireVersion) {}
