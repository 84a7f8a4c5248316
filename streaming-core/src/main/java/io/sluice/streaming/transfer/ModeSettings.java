package io.sluice.streaming.transfer;

import io.sluice.streaming.message.ReceiverFeatures;

/**
 * Which zero-copy modes a source may use, and the features of the receiver. Immutable.
 *
 * @param entireSSTables whether completely requested SSTables are sent as files; key {@code stream_entire_sstables}
 * @param slices whether parts of SSTables are sent as slices; key {@code stream_slices}
 */
public record ModeSettings(boolean entireSSTables, boolean slices, ReceiverFeatures receiver) {
    /** Both modes. */
    public static final ModeSettings DEFAULTS = new ModeSettings(true, true);

    /** For a receiver without features. */
    public ModeSettings(boolean entireSSTables, boolean slices) {
        this(entireSSTables, slices, ReceiverFeatures.NONE);
    }

    /** A copy for this receiver. */
    public ModeSettings of(ReceiverFeatures other) {
        return new ModeSettings(entireSSTables, slices, other);
    }
}
