package io.sluice.streaming.message;

/** Estimates the heap memory of decoded messages; rounded up. Stateless. */
public final class MessageMemory {
    /** A message without lists; its text may be 1 KiB long. */
    private static final long MESSAGE_BYTES = 512;

    /** A table with its id, in a list and in a map. */
    private static final long TABLE_BYTES = 256;

    /** A token range, with its entry in a list and in a copy of it. */
    private static final long RANGE_BYTES = 96;

    private static final long SPAN_BYTES = 96;
    private static final long EXTENT_BYTES = 48;
    private static final long CHECKSUM_BYTES = 24;

    /** An offered SSTable, at either end; measured. */
    public static final long OFFER_BYTES = 2 << 10;

    /** An expected extent: its checksum, whether it is received, and its checksum as the source reads it again. */
    private static final long EXPECTED_EXTENT_BYTES = 25;

    private MessageMemory() {}

    /** The heap memory of {@code message}. */
    public static long bytes(Message message) {
        if (message instanceof Message.PrepareSyn m) {
            return MESSAGE_BYTES
                    + m.requests().stream().mapToLong(MessageMemory::bytes).sum();
        }
        if (message instanceof Message.PrepareSynAck m) {
            return MESSAGE_BYTES
                    + m.offers().stream().mapToLong(MessageMemory::bytes).sum();
        }
        if (message instanceof Message.SpansQuery m) {
            return MESSAGE_BYTES
                    + m.tables().stream()
                            .mapToLong(table -> bytes(table.ranges().ranges().size()))
                            .sum();
        }
        if (message instanceof Message.Spans m) {
            return MESSAGE_BYTES
                    + m.tables().stream()
                            .mapToLong(table -> TABLE_BYTES + table.spans().size() * SPAN_BYTES)
                            .sum();
        }
        if (message instanceof Message.Fetch m) {
            return MESSAGE_BYTES + m.extents().size() * EXTENT_BYTES;
        }
        if (message instanceof Message.FileSums m) {
            return MESSAGE_BYTES + m.crc32s().size() * CHECKSUM_BYTES;
        }
        return MESSAGE_BYTES + 2L * text(message).length();
    }

    private static String text(Message message) {
        if (message instanceof Message.SessionFailed m) {
            return m.reason();
        }
        if (message instanceof Message.TableRefused m) {
            return m.reason();
        }
        if (message instanceof Message.Released m) {
            return m.reason();
        }
        return message instanceof Message.KeepAlive m ? m.doing().stage() : "";
    }

    /** The heap memory of a kept request. */
    public static long bytes(Message.TableRequest request) {
        return bytes(request.ranges().ranges().size());
    }

    private static long bytes(int ranges) {
        return TABLE_BYTES + ranges * RANGE_BYTES;
    }

    /** The heap memory of an offer at the receiver, which keeps a checksum for each extent. */
    public static long bytes(SSTableOffer offer) {
        return OFFER_BYTES + offer.lengthBytes() / EXTENT_LENGTH_BYTES * EXPECTED_EXTENT_BYTES;
    }

    /** The extent length of receivers. */
    private static final long EXTENT_LENGTH_BYTES = 8 << 20;
}
