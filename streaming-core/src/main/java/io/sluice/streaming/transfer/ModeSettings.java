package io.sluice.streaming.transfer;

/**
 * Which ways of moving an SSTable without decoding rows a source may use. Immutable.
 *
 * @param entireSSTables whether SSTables of which everything is wanted leave as files; key
 *     {@code stream_entire_sstables}
 * @param slices whether parts of SSTables leave as slices; key {@code stream_slices}
 */
public record ModeSettings(boolean entireSSTables, boolean slices) {
    /** Both. */
    public static final ModeSettings DEFAULTS = new ModeSettings(true, true);
}
