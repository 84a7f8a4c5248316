package io.sluice.sstable.data;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;

/**
 * The value of a counter cell: the count of each replica that counted, with a clock that tells newer from older.
 * Immutable.
 *
 * <pre>
 * i16 number of header elements n, n * i16 (index of a shard; global if minus 32768, else local), then shards:
 * counter id of 16 bytes, i64 clock, i64 count
 * </pre>
 *
 * <p>Shards that are not global are those of before Cassandra 2.1: local ones are deltas of the node that wrote them,
 * others are what it knows of another node.
 */
record CounterContext(Map<Bytes, Shard> shards) {
    private static final int ID_BYTES = 16;
    private static final int SHARD_BYTES = ID_BYTES + 2 * Long.BYTES;
    private static final int GLOBAL = Short.MIN_VALUE;

    /** What one replica counted. */
    record Shard(long clock, long count) {
        Shard newer(Shard other) {
            boolean isOtherNewer = other.clock > clock || (other.clock == clock && other.count > count);
            return isOtherNewer ? other : this;
        }
    }

    /** Reads a context; whether shards are global is not kept, as only global ones may travel. */
    static CounterContext parse(Bytes value) throws MalformedException {
        ByteBuffer in = value.asBuffer();
        try {
            int headerBytes = Math.max(0, in.getShort()) * Short.BYTES;
            in.position(Math.min(in.limit(), in.position() + headerBytes));
            if (in.remaining() % SHARD_BYTES != 0) {
                throw new MalformedException("length of counter shards: " + in.remaining()
                        + " (expected: a multiple of " + SHARD_BYTES + ")");
            }
            Map<Bytes, Shard> shards = new TreeMap<>();
            while (in.hasRemaining()) {
                byte[] id = new byte[ID_BYTES];
                in.get(id);
                shards.merge(Bytes.wrap(id), new Shard(in.getLong(), in.getLong()), Shard::newer);
            }
            return new CounterContext(shards);
        } catch (BufferUnderflowException truncated) {
            throw new MalformedException("length of a counter: " + value.length() + " (expected: at least 2)");
        }
    }

    /** Whether a shard of the context is not global, so that another node must not have it byte for byte. */
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

    /** The same context, of which no shard is this node's own; what is no context stays as it is. */
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

    /** Of each replica's counts, the newer. */
    CounterContext merge(CounterContext other) {
        Map<Bytes, Shard> merged = new TreeMap<>(shards);
        other.shards.forEach((id, shard) -> merged.merge(id, shard, Shard::newer));
        return new CounterContext(merged);
    }

    /** The same with global shards, sorted by id. */
    Bytes toBytes() {
        GrowingBuffer out = new GrowingBuffer();
        out.putShort(shards.size());
        for (int i = 0; i < shards.size(); i++) {
            out.putShort(GLOBAL + i);
        }
        shards.forEach((id, shard) -> out.put(id).putLong(shard.clock()).putLong(shard.count()));
        return out.toBytes();
    }
}
