package io.sluice.cassandra.receive;

import io.sluice.cassandra.wire.WireInput;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.function.LongConsumer;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * Format of a section of an uncompressed Data.db on the wire: LZ4 blocks, each preceded by its two lengths. Stateless.
 */
final class PlainBlocks {
    private static final int MAX_BLOCK_BYTES = 1 << 20; // a node sends 64 KiB

    private PlainBlocks() {}

    /**
     * Appends the {@code length} plain bytes of the next blocks in {@code in} to {@code file}.
     *
     * @param onReceived receives the number of bytes of each block
     * @throws StreamException if a block is malformed, or the blocks hold more
     */
    static void copy(WireInput in, long length, WritableByteChannel file, LongConsumer onReceived) throws IOException {
        LZ4SafeDecompressor lz4 = LZ4Factory.fastestInstance().safeDecompressor();
        for (long at = 0; at < length; ) {
            int stored = (int) in.require("block", in.readInt(), 1, MAX_BLOCK_BYTES);
            int plain = (int) in.require("plain block", in.readInt(), 1, Math.min(MAX_BLOCK_BYTES, length - at));
            byte[] block;
            try {
                block = lz4.decompress(in.readBytes(stored).toArray(), plain);
            } catch (LZ4Exception malformed) {
                throw new StreamException(
                        ErrorCode.CORRUPT_IN_FLIGHT, "before byte " + in.offset() + ": not an LZ4 block", malformed);
            }
            if (block.length != plain) {
                throw in.malformed("an LZ4 block of " + block.length + " bytes (expected: " + plain + ")");
            }
            for (ByteBuffer bytes = ByteBuffer.wrap(block); bytes.hasRemaining(); ) {
                file.write(bytes);
            }
            onReceived.accept(stored);
            at += plain;
        }
    }
}
