package io.sluice.cassandra.wire;

import io.sluice.sstable.component.Printable;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UTFDataFormatException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.UUID;

/**
 * Reads the elements of the protocol from a connection and counts bytes, so that an error can name the position. Blocks
 * until the bytes have arrived; an end in the middle is a {@link ConnectionLostException}. Not thread-safe: confined to
 * its reader.
 */
public final class WireInput {
    private static final int MAX_NAME_BYTES = 1 << 10;
    private static final int PIECE_BYTES = 1 << 12;
    private static final int IPV4_BYTES = 6;
    private static final int IPV6_BYTES = 18;

    private final InputStream connection;
    private final DataInputStream in;
    private long offset;

    /** @param in buffered, closed by whoever opened it */
    public WireInput(InputStream in) {
        this.connection = in;
        this.in = new DataInputStream(new WithinMessage(in));
    }

    /** A stream that must not end; an end is an error that names the position. */
    private final class WithinMessage extends FilterInputStream {
        WithinMessage(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            return notEnded(in.read());
        }

        @Override
        public int read(byte[] into, int start, int length) throws IOException {
            return notEnded(in.read(into, start, length));
        }

        private int notEnded(int read) throws ConnectionLostException {
            if (read < 0) {
                throw new ConnectionLostException("the connection ended after byte " + offset + ", within a message");
            }
            return read;
        }
    }

    /** Bytes of the connection so far, those of files included. */
    public long offset() {
        return offset;
    }

    /** Counts bytes that were taken from the connection directly. */
    public void passed(long bytes) {
        offset += bytes;
    }

    int readByte() throws IOException {
        int value = in.readByte();
        offset += Byte.BYTES;
        return value;
    }

    /** The next byte, or -1 if the connection ended in good order before it. */
    int readByteOrEnd() throws IOException {
        int value = connection.read();
        offset += value < 0 ? 0 : 1;
        return value;
    }

    boolean readBoolean() throws IOException {
        return readByte() != 0;
    }

    public int readInt() throws IOException {
        int value = in.readInt();
        offset += Integer.BYTES;
        return value;
    }

    public long readLong() throws IOException {
        long value = in.readLong();
        offset += Long.BYTES;
        return value;
    }

    UUID readUuid() throws IOException {
        return new UUID(readLong(), readLong());
    }

    /** Reads a name of at most 1 KiB; escaped to one line that is safe to log and to show. */
    String readUtf() throws IOException {
        int length = (readByte() & 0xff) << 8 | (readByte() & 0xff);
        require("length of a name", length, 0, MAX_NAME_BYTES);
        byte[] encoded = new byte[Short.BYTES + length];
        encoded[0] = (byte) (length >> 8);
        encoded[1] = (byte) length;
        in.readFully(encoded, Short.BYTES, length);
        offset += length;
        try {
            return Printable.text(new DataInputStream(new ByteArrayInputStream(encoded)).readUTF());
        } catch (UTFDataFormatException malformed) {
            throw malformed("text that is not modified UTF-8 (expected: a name)");
        }
    }

    /** Reads an unsigned variable-length integer. */
    long readVInt() throws IOException {
        int first = readByte() & 0xff;
        int extra = Integer.numberOfLeadingZeros(~(first << 24));
        long value = extra >= 7 ? 0 : first & (0xff >>> (extra + 1));
        for (int i = 0; i < extra; i++) {
            value = value << 8 | (readByte() & 0xffL);
        }
        return value;
    }

    /** Reads bytes with a vint length prefix, at most {@code limit} of them. */
    Bytes readVIntBytes(String what, int limit) throws IOException {
        return readBytes((int) require("length of " + what, readVInt(), 0, limit));
    }

    /** Reads {@code length} bytes; memory grows with what arrives. */
    public Bytes readBytes(int length) throws IOException {
        byte[] bytes = new byte[Math.min(length, PIECE_BYTES)];
        in.readFully(bytes);
        while (bytes.length < length) {
            int filled = bytes.length;
            bytes = Arrays.copyOf(bytes, (int) Math.min(length, 2L * filled));
            in.readFully(bytes, filled, bytes.length - filled);
        }
        offset += length;
        return Bytes.wrap(bytes);
    }

    /** Reads an address with its port. */
    InetSocketAddress readAddress() throws IOException {
        int length = readByte();
        if (length != IPV4_BYTES && length != IPV6_BYTES) {
            throw malformed("address of " + length + " bytes (expected: 6 or 18)");
        }
        byte[] address = readBytes(length - Short.BYTES).toArray();
        int port = ((readByte() & 0xff) << 8) | (readByte() & 0xff);
        return new InetSocketAddress(InetAddress.getByAddress(address), port);
    }

    /**
     * Returns {@code value} if it is in its range.
     *
     * @throws StreamException if it is not
     */
    public long require(String what, long value, long least, long greatest) {
        if (value < least || value > greatest) {
            throw malformed(what + ": " + value + " (expected: " + least + " to " + greatest + ")");
        }
        return value;
    }

    /** Reads a count from 0 to {@code greatest}. */
    int readCount(String what, int greatest) throws IOException {
        return (int) require("number of " + what, readInt(), 0, greatest);
    }

    /** An exception for malformed bytes from the peer. */
    public StreamException malformed(String problem) {
        return new StreamException(ErrorCode.PROTOCOL, "at byte " + offset + " of the connection: " + problem);
    }
}
