package io.sluice.cassandra.wire;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.token.Token;
import java.net.InetSocketAddress;
import java.util.UUID;
import java.util.zip.CRC32;

/** The elements of the protocol that SSTables do not have. Stateless. */
final class WireOutput {
    private static final int CRC_SEED = 0xFA2D55CA;

    private WireOutput() {}

    static void putAddress(InetSocketAddress address, GrowingBuffer out) {
        byte[] bytes = address.getAddress().getAddress();
        out.putByte(bytes.length + Short.BYTES).put(Bytes.wrap(bytes)).putShort(address.getPort());
    }

    static void putUuid(UUID uuid, GrowingBuffer out) {
        out.putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits());
    }

    static void putBoolean(boolean value, GrowingBuffer out) {
        out.putByte(value ? 1 : 0);
    }

    static void putToken(Token token, GrowingBuffer out) {
        out.putInt(Long.BYTES).putLong(token.value());
    }

    /** The checksum of a handshake message. */
    static int crcOf(Bytes message) {
        var crc = new CRC32();
        Bytes.ofInt(CRC_SEED).addTo(crc);
        message.addTo(crc);
        return (int) crc.getValue();
    }

    /** The bytes of {@code out}, followed by their checksum. */
    static Bytes withCrc(GrowingBuffer out) {
        return out.putInt(crcOf(out.toBytes())).toBytes();
    }
}
