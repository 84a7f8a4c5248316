package io.sluice.bench.mutation;

import io.sluice.sstable.encoding.GrowingBuffer;
import java.nio.ByteBuffer;

/** Writes and reads fragments of one table. Not thread-safe: confined to one stream. */
sealed interface FragmentCodec permits FixedCodec, DeltaCodec {
    int START = 1;
    int STATICS = 2;
    int ROW = 3;
    int MARKER = 4;
    int END = 5;

    void encode(Fragment fragment, GrowingBuffer out);

    /**
     * Reads the next fragment.
     *
     * @throws java.nio.BufferUnderflowException if it is cut off
     * @throws IllegalArgumentException if it is none
     */
    Fragment decode(ByteBuffer in);
}
