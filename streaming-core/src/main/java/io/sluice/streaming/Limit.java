package io.sluice.streaming;

import java.util.Locale;

/**
 * The limits of a node, each with the name of its setting; those that cassandra.yaml has keep its names. All are rates
 * in bytes per second of what is in the files, 0 for none. Several hold at once: the tightest counts.
 */
public enum Limit {
    /** All rows that leave: transfers that decode them. */
    STREAM_THROUGHPUT_OUTBOUND,
    /** Of these, what leaves to other data centres. */
    INTER_DC_STREAM_THROUGHPUT_OUTBOUND,
    /** All that leaves by zero-copy: whole SSTables, and slices of them. */
    ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND,
    /** Of these, what leaves to other data centres. */
    ENTIRE_SSTABLE_INTER_DC_STREAM_THROUGHPUT_OUTBOUND,
    /** All that leaves in one session, to one peer for one plan. */
    SESSION_STREAM_THROUGHPUT_OUTBOUND,
    /** All that arrives. */
    STREAM_THROUGHPUT_INBOUND,
    /** Of this, what arrives from other data centres. */
    INTER_DC_STREAM_THROUGHPUT_INBOUND,
    /** All that arrives in one session. */
    SESSION_STREAM_THROUGHPUT_INBOUND;

    /** The name of the setting, as {@code stream_throughput_outbound}. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
