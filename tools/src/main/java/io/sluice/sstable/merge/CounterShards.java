package io.sluice.sstable.merge;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;

/**
 * The value of a counter cell: the count of each replica that updated it, with a clock that orders newer after older.
 * Immutable.
 *
 * <pre>
 * i16 number of header elements n, n * i16 (index of a shard; global if minus 32768, else local), then shards:
 * counter id of 16 bytes, i64 clock, i64 count
 * </pre>
 */
record CounterShards(Map<Bytes, Shard> shards) {
    private static final int ID_BYTES = 16;
    private static final int SHARD_BYTES = ID_BYTES + 2 * Long.BYTES;
    private static final int GLOBAL = Short.MIN_VALUE;

    /** The count of one replica. */
    record Shard(long clock, long count) {
        Shard newer(Shard other) {
            boolean isOtherNewer = other.clock > clock || (other.clock == clock && other.count > count);
            return isOtherNewer ? other : this;
        }
    }

    /** Parses a context. Does not keep whether shards are global, as only global ones may be streamed. */
    static CounterShards parse(Bytes value) throws MalformedException {
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
            return new CounterShards(shards);
        } catch (BufferUnderflowException truncated) {
            throw new MalformedException("length of a counter: " + value.length() + " (expected: at least 2)");
        }
    }

    /** Merges two values: for each replica, the newer count. */
    CounterShards merge(CounterShards other) {
        Map<Bytes, Shard> merged = new TreeMap<>(shards);
        other.shards.forEach((id, shard) -> merged.merge(id, shard, Shard::newer));
        return new CounterShards(merged);
    }

    /** Serializes with global shards, sorted by id. */
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
