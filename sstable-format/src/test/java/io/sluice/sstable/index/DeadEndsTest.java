package io.sluice.sstable.index;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** A few hundred bytes with 2^60 paths, none of which comes to a leaf, are refused and not followed. */
class DeadEndsTest {
    private static final int NODES = 60;
    private static final byte[] KEY = {'a'};

    /** Ends what would last for ever. */
    private static final Duration HANG = Duration.ofMinutes(2);

    @TempDir
    Path directory;

    private final GrowingBuffer trie = new GrowingBuffer();
    private int root;

    /** A dense node without a child, then nodes with two transitions each to the one before. */
    @BeforeEach
    void make_the_nodes() {
        trie.putByte(0xa0).putByte(0).putByte(0).putShort(0);
        for (int i = 0; i < NODES; i++) {
            int distance = trie.length() - root;
            root = trie.length();
            trie.putByte(0x50)
                    .putByte(2)
                    .putByte(0)
                    .putByte(1)
                    .putByte(distance)
                    .putByte(distance);
        }
    }

    private Path written(String name) throws IOException {
        return Files.write(directory.resolve(name), trie.toBytes().toArray());
    }

    private static void assertRefused(Executable read, Path file) {
        assertTimeoutPreemptively(
                HANG,
                () -> assertThatThrownBy(read::execute)
                        .isInstanceOf(SSTableException.class)
                        .hasMessageContaining(file.toString())
                        .hasMessageContaining("(expected: "));
    }

    @Test
    void in_partitions() throws IOException {
        Path rows = written("Rows.db");
        int keys = trie.length();
        Bytes key = Bytes.wrap(KEY);
        trie.putShortBytes(key).putShortBytes(key);
        trie.putLong(keys).putLong(1).putLong(root);
        Path partitions = written("Partitions.db");

        assertRefused(
                () -> TrieCursor.takeOver(partitions, rows, DataReader.plain(rows))
                        .close(),
                partitions);
    }

    @Test
    void in_rows() throws IOException {
        int entry = trie.length();
        trie.putShortBytes(Bytes.wrap(KEY));
        int base = trie.length();
        trie.putByte(0).putByte(2 * (base - root) - 1).putByte(1).putByte(0x80); // position, root, blocks, no deletion
        Path rows = written("Rows.db");

        try (RowsReader reader = RowsReader.open(rows)) {
            assertRefused(() -> reader.visitBlocks(reader.entry(entry), (separator, length, offset, open) -> {}), rows);
        }
    }
}
