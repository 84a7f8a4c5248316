package io.sluice.bench.mutation;

import io.sluice.sstable.token.PartitionKey;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;

/** A partition that nobody asked for. Stateless. */
final class OutOfRange {
    private OutOfRange() {}

    static StreamException error(PartitionKey key, TokenRanges wanted) {
        return new StreamException(
                ErrorCode.OUT_OF_RANGE, "partition " + key + " was not asked for (expected: tokens in " + wanted + ")");
    }
}
