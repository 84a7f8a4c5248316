package io.sluice.sstable.index;

import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.key.PartitionKey;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The files of a trie: Partitions.db, whose leaves have positions only, and the keys in Rows.db or Data.db. Not
 * thread-safe: confined to its cursor, which closes it.
 */
final class TrieKeys implements Closeable {
    /** Keys of more than a hundred tiny partitions, and not much more to read than one key of a large one. */
    private static final int KEY_WINDOW_BYTES = 1 << 12;

    private final ComponentInput partitions;
    private final ComponentInput rows;
    private final ComponentInput data;
    private final Closeable source;
    private final TrieFooter footer;

    private TrieKeys(ComponentInput partitions, ComponentInput rows, ComponentInput data, Closeable source)
            throws IOException {
        this.partitions = partitions;
        this.rows = rows;
        this.data = data;
        this.source = source;
        this.footer = TrieFooter.read(partitions);
    }

    /**
     * A partition that a leaf names. Immutable.
     *
     * @param rowsPosition of the partition's entry in Rows.db, -1 if it has none
     */
    record Located(PartitionKey key, long position, long rowsPosition) {}

    /** Opens the trie of an SSTable; takes over {@code data}, its uncompressed content. */
    static TrieKeys takeOver(Path partitions, Path rows, DataReader data) throws IOException {
        Deque<Closeable> opened = new ArrayDeque<>(List.of(data));
        try {
            ComponentInput nodes = ComponentInput.open(partitions, TrieWriter.PAGE_BYTES);
            opened.push(nodes);
            ComponentInput heads = ComponentInput.open(rows, KEY_WINDOW_BYTES);
            opened.push(heads);
            ComponentInput content = ComponentInput.over(data.file(), data, data.lengthBytes(), KEY_WINDOW_BYTES);
            return new TrieKeys(nodes, heads, content, data);
        } catch (IOException | RuntimeException failed) {
            for (Closeable resource : opened) {
                resource.close();
            }
            throw failed;
        }
    }

    /** Partitions.db, through a window of one page. */
    ComponentInput partitions() {
        return partitions;
    }

    TrieFooter footer() {
        return footer;
    }

    /** Length of uncompressed Data.db. */
    long dataLengthBytes() {
        return data.length();
    }

    /**
     * The partition of a leaf.
     *
     * @param path to the leaf, of which the first {@code depth} bytes are used
     * @throws io.sluice.sstable.component.SSTableException if its key is not on this path
     */
    Located locate(TrieNode leaf, byte[] path, int depth) throws IOException {
        int flags = leaf.payloadFlags();
        partitions.seek(leaf.payloadPosition());
        Optional<Byte> hashByte = flags >= 8 ? Optional.of(partitions.readByte()) : Optional.empty();
        long number = number(flags);
        Located located = number < 0 ? inData(~number) : inRows(number);
        boolean isHashByteRight =
                hashByte.map(b -> b == (byte) located.key().hash().h2()).orElse(true);
        if (!isHashByteRight || !ComparableKey.begins(path, depth, located.key())) {
            throw partitions.malformed((isHashByteRight ? "path to key " : "hash byte of key ") + located.key()
                    + " (expected: the key's; a look-up does not find it)");
        }
        return located;
    }

    /** The position in Data.db of the partition of a leaf; nothing is checked. */
    long positionOf(TrieNode leaf) throws IOException {
        int flags = leaf.payloadFlags();
        partitions.seek(leaf.payloadPosition() + (flags >= 8 ? 1 : 0));
        long number = number(flags);
        return number < 0 ? ~number : inRows(number).position();
    }

    private long number(int flags) throws IOException {
        int length = flags >= 8 ? flags - 7 : flags;
        long number = partitions.readByte();
        for (int i = 1; i < length; i++) {
            number = number << 8 | partitions.readUnsignedByte();
        }
        return number;
    }

    /** The key of the partition at a position of Data.db. */
    PartitionKey keyAt(long position) throws IOException {
        data.seek(position);
        return PartitionKey.of(data.readShortBytes());
    }

    private Located inData(long position) throws IOException {
        return new Located(keyAt(position), position, -1);
    }

    private Located inRows(long rowsPosition) throws IOException {
        rows.seek(rowsPosition);
        PartitionKey key = PartitionKey.of(rows.readShortBytes());
        long position = rows.require("position in Data.db", rows.readUnsignedVInt(), 0, Long.MAX_VALUE);
        return new Located(key, position, rowsPosition);
    }

    @Override
    public void close() throws IOException {
        try (source;
                partitions) {
            rows.close();
        }
    }
}
