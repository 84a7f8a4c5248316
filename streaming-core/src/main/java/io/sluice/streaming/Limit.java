package io.sluice.streaming;

import java.util.Locale;

/**
 * The limits of a node, each with the name of its setting; those that cassandra.yaml has keep its names. All are rates
 * in bytes of files per second, 0 for none. If several apply to a transfer, the lowest one decides.
 */
public enum Limit {
    /** All sent rows: transfers that decode them. */
    STREAM_THROUGHPUT_OUTBOUND,
    /** Of these, the part sent to other data centres. */
    INTER_DC_STREAM_THROUGHPUT_OUTBOUND,
    /** All zero-copy transfers that this node sends: whole SSTables and slices. */
    ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND,
    /** Of these, the part sent to other data centres. */
    ENTIRE_SSTABLE_INTER_DC_STREAM_THROUGHPUT_OUTBOUND,
    /** All bytes sent in one session, to one peer for one plan. */
    SESSION_STREAM_THROUGHPUT_OUTBOUND,
    /** All received bytes. */
    STREAM_THROUGHPUT_INBOUND,
    /** Of these, the part received from other data centres. */
    INTER_DC_STREAM_THROUGHPUT_INBOUND,
    /** All bytes received in one session. */
    SESSION_STREAM_THROUGHPUT_INBOUND;

    /** The name of the setting, such as {@code stream_throughput_outbound}. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
