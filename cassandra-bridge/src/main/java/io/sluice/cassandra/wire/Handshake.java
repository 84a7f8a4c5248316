package io.sluice.cassandra.wire;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.net.InetSocketAddress;

/** The handshake: the first message in each direction of a new connection. Stateless. */
public final class Handshake {
    /** Spoken by 4.0, 4.1, and 5.0 in compatibility mode. */
    static final int LOWEST_VERSION = 12;
    /** Spoken by 5.0 outside compatibility mode. */
    public static final int HIGHEST_VERSION = 13;

    private static final int MAGIC = 0xCA552DFA;
    private static final int STREAMING = 1 << 3;
    private static final int LOW_FLAGS = 0xff;
    private static final int LOWEST_SHIFT = 16;
    private static final int HIGHEST_SHIFT = 24;
    private static final int OLD_SHIFT = 8;

    private Handshake() {}

    /**
     * The first message of the connecting side.
     *
     * @param lowest version that it speaks
     * @param highest version that it speaks
     * @param from its identity, not the port that it connects from
     */
    public record Initiate(int lowest, int highest, InetSocketAddress from) {
        /** Our first message. */
        public static Initiate of(InetSocketAddress identity) {
            return new Initiate(LOWEST_VERSION, HIGHEST_VERSION, identity);
        }

        /** Encodes the message. */
        public Bytes encode() {
            var out = new GrowingBuffer();
            out.putInt(MAGIC)
                    .putInt(STREAMING | lowest << OLD_SHIFT | lowest << LOWEST_SHIFT | highest << HIGHEST_SHIFT);
            WireOutput.putAddress(from, out);
            return WireOutput.withCrc(out);
        }

        /**
         * Decodes the message.
         *
         * @throws StreamException if it is another message, its checksum is wrong, or it does not open a stream
         */
        public static Initiate read(WireInput in) throws IOException {
            int magic = in.readInt();
            if (magic != MAGIC) {
                throw in.malformed("magic " + Integer.toHexString(magic) + " (expected: ca552dfa, a Cassandra"
                        + " node; is TLS on at one end only?)");
            }
            int flags = in.readInt();
            InetSocketAddress from = in.readAddress();
            var initiate = new Initiate(flags >>> LOWEST_SHIFT & 0xff, flags >>> HIGHEST_SHIFT, from);
            var copy = new GrowingBuffer().putInt(magic).putInt(flags);
            WireOutput.putAddress(from, copy);
            requireCrc(in, copy.toBytes());
            if ((flags & LOW_FLAGS) != STREAMING) {
                throw in.malformed("flags " + (flags & LOW_FLAGS) + " (expected: 8, a stream without framing)");
            }
            return initiate;
        }

        /** The highest version that both sides speak. */
        public int agreedVersion() {
            int use = Math.max(LOWEST_VERSION, Math.min(HIGHEST_VERSION, highest));
            if (use < lowest || use > highest) {
                throw new StreamException(
                        ErrorCode.WRONG_PEER,
                        from + " speaks versions " + lowest + " to " + highest + " (expected: 12 or 13, that is"
                                + " Cassandra 4.0 to 5.0)");
            }
            return use;
        }
    }

    /**
     * The answer of the side that accepts.
     *
     * @param highest version that it speaks
     * @param use the version of this connection
     */
    public record Accept(int highest, int use) {
        /** Encodes the message. */
        public Bytes encode() {
            return WireOutput.withCrc(new GrowingBuffer().putInt(highest).putInt(use));
        }

        /**
         * Decodes the message.
         *
         * @throws StreamException if its checksum is wrong, or we do not speak the version
         */
        public static Accept read(WireInput in) throws IOException {
            var accept = new Accept(in.readInt(), in.readInt());
            requireCrc(
                    in,
                    new GrowingBuffer()
                            .putInt(accept.highest())
                            .putInt(accept.use())
                            .toBytes());
            if (accept.use() < LOWEST_VERSION || accept.use() > HIGHEST_VERSION) {
                throw new StreamException(
                        ErrorCode.WRONG_PEER,
                        "the node speaks version " + accept.use() + " of the streaming protocol (expected: 12 or 13,"
                                + " that is Cassandra 4.0 to 5.0)");
            }
            return accept;
        }
    }

    private static void requireCrc(WireInput in, Bytes message) throws IOException {
        int expected = WireOutput.crcOf(message);
        int actual = in.readInt();
        if (actual != expected) {
            throw in.malformed("CRC-32 of the handshake: " + Integer.toHexString(actual) + " (expected: "
                    + Integer.toHexString(expected) + ")");
        }
    }
}
