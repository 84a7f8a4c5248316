package io.sluice.streaming.transfer.partial;

import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionSource;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.util.Optional;

/** Passes on requested partitions only, and fails for any other. Not thread-safe: confined to one reader. */
record RangeFilter(PartitionSource source, TokenRanges wanted) implements PartitionSource {
    @Override
    public Optional<Partition> next() throws IOException {
        Optional<Partition> next = source.next();
        if (next.isPresent() && !wanted.contains(next.get().header().key().token())) {
            throw new StreamException(
                    ErrorCode.OUT_OF_RANGE,
                    "partition " + next.get().header().key() + " was not requested (expected: tokens in " + wanted
                            + ")");
        }
        return next;
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
