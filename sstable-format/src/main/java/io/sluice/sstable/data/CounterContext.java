package io.sluice.sstable.data;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import java.nio.ByteBuffer;

/**
 * The value of a counter cell: the count of each replica, with a clock that orders updates. Stateless.
 *
 * <pre>
 * i16 number of header elements n, n * i16 (index of a shard; global if minus 32768, else local), then shards:
 * counter id of 16 bytes, i64 clock, i64 count
 * </pre>
 *
 * <p>Shards that are not global are older than Cassandra 2.1: local ones are deltas of the node that wrote them, remote
 * ones are its knowledge of another node.
 */
final class CounterContext {
    private static final int SHARD_BYTES = 16 + 2 * Long.BYTES;

    private CounterContext() {}

    /** Whether a shard of the context is not global, so that it must not be copied to another node. */
    static boolean isLegacy(Bytes value) {
        ByteBuffer in = value.asBuffer();
        if (in.remaining() < Short.BYTES) {
            return false;
        }
        int elements = in.getShort();
        int shardBytes = in.remaining() - elements * Short.BYTES;
        if (elements < 0 || shardBytes < 0) {
            return elements < 0;
        }
        boolean isGlobal = shardBytes / SHARD_BYTES == elements;
        for (int i = 0; i < elements; i++) {
            isGlobal &= in.getShort() < 0;
        }
        return !isGlobal;
    }

    /** A copy of the context without local shards; returns a malformed context unchanged. */
    static Bytes withoutLocal(Bytes value) {
        ByteBuffer in = value.asBuffer();
        int elements = in.remaining() < Short.BYTES ? 0 : in.getShort();
        if (elements <= 0 || in.remaining() < elements * Short.BYTES) {
            return value;
        }
        GrowingBuffer global = new GrowingBuffer();
        for (int i = 0; i < elements; i++) {
            short element = in.getShort();
            if (element < 0) {
                global.putShort(element);
            }
        }
        int count = global.length() / Short.BYTES;
        return count == elements
                ? value
                : new GrowingBuffer()
                        .putShort(count)
                        .put(global)
                        .put(value.slice(in.position(), in.remaining()))
                        .toBytes();
    }
}
