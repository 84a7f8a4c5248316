package io.sluice.cassandra.load;

/**
 * A materialized view of which there are SSTables, which are not loaded. Immutable.
 *
 * @param view as {@code keyspace.view}
 * @param baseTable from whose rows the nodes write the view
 * @param isWritten whether the load has SSTables of the base table; otherwise the rows of the view are nowhere after it
 */
public record ViewLeftOut(String view, String baseTable, boolean isWritten) {}
