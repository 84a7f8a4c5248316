package io.sluice.cassandra.load;

import io.sluice.cassandra.ring.CassandraNode;
import io.sluice.cassandra.ring.LiveTable;

/**
 * What an ignored node owns of a table and does not get. Immutable.
 *
 * @param lengthBytes of files, about
 */
public record LeftOut(CassandraNode node, LiveTable table, long lengthBytes) {}
