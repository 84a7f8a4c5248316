package io.sluice.cassandra.wire;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32;

/** Handshakes and messages of Cassandra's dialect. Stateless. */
public final class WireTargets {
    private static final int MAGIC = 0xCA552DFA;

    private WireTargets() {}

    /** The first message of who connects, behind its magic number, with a checksum that is right. */
    public static void initiate(byte[] input) throws IOException {
        GrowingBuffer message = new GrowingBuffer().putInt(MAGIC).put(Bytes.wrap(input));
        Handshake.Initiate.read(wire(withCrc(message))).agreedVersion();
    }

    /** The same as it is. */
    public static void rawInitiate(byte[] input) throws IOException {
        Handshake.Initiate.read(wire(input)).agreedVersion();
    }

    /** The answer, with a checksum that is right. */
    public static void accept(byte[] input) throws IOException {
        Handshake.Accept.read(wire(withCrc(new GrowingBuffer().put(Bytes.wrap(input)))));
    }

    private static byte[] withCrc(GrowingBuffer message) {
        CRC32 crc = new CRC32();
        for (int start : new byte[] {(byte) 0xfa, 0x2d, 0x55, (byte) 0xca}) {
            crc.update(start);
        }
        crc.update(message.written());
        return message.putInt((int) crc.getValue()).toBytes().toArray();
    }

    /** All messages of a connection. */
    public static void messages(byte[] input) throws IOException {
        read(input);
    }

    /** The messages of a connection until its end. */
    public static List<StreamMessage> read(byte[] input) throws IOException {
        MessageReader reader = new MessageReader(wire(input));
        List<StreamMessage> messages = new ArrayList<>();
        for (Optional<StreamMessage> next = reader.next(); next.isPresent(); next = reader.next()) {
            messages.add(next.get());
        }
        return messages;
    }

    static WireInput wire(byte[] input) {
        return new WireInput(new ByteArrayInputStream(input));
    }
}
