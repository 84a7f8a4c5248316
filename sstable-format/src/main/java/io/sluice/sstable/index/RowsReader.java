package io.sluice.sstable.index;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.key.PartitionKey;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/** Reads the entries and tries of Rows.db. Not thread-safe: confined to its reader, which closes it. */
public final class RowsReader implements Closeable {
    private static final int WINDOW_BYTES = 1 << 12;
    private static final int LIVE = 0x80;
    private static final int DELETION_BYTES = Long.BYTES + Integer.BYTES;
    private static final int OFFSET_MASK = 7;

    /** Eight clustering values of 64 KiB, whose bytes are encoded as up to two. */
    private static final int MAX_DEPTH = 1 << 20;

    private final ComponentInput in;

    private RowsReader(ComponentInput in) {
        this.in = in;
    }

    /** Opens {@code file}. */
    public static RowsReader open(Path file) throws IOException {
        return new RowsReader(ComponentInput.open(file, WINDOW_BYTES));
    }

    /**
     * The entry of a partition. Immutable.
     *
     * @param position of the partition in uncompressed Data.db
     * @param root of its trie
     * @param blocks the number of blocks, at least 1
     * @param deletion of the partition, encoded
     */
    public record Entry(PartitionKey key, long position, long root, long blocks, Bytes deletion) {}

    /** Receives the blocks of a partition in order. */
    public interface BlockVisitor {
        /**
         * The next block; after the last one, its end.
         *
         * @param separator its first {@code separatorLength} bytes are used; valid until the next call
         * @param offset in the partition
         * @param openDeletion the encoded deletion of the range that is open there; may be empty
         */
        void visit(byte[] separator, int separatorLength, long offset, Bytes openDeletion) throws IOException;
    }

    /** The entry at {@code entryPosition}. */
    public Entry entry(long entryPosition) throws IOException {
        in.seek(entryPosition);
        PartitionKey key = PartitionKey.of(in.readShortBytes());
        long base = in.position();
        long position = in.require("position in Data.db", in.readUnsignedVInt(), 0, Long.MAX_VALUE);
        long root = in.require("position of the root", base + in.readSignedVInt(), 0, Math.max(0, entryPosition - 1));
        long blocks = in.require("number of blocks", in.readUnsignedVInt(), 1, Integer.MAX_VALUE);
        return new Entry(key, position, root, blocks, deletion());
    }

    private Bytes deletion() throws IOException {
        int first = in.readUnsignedByte();
        if (first == LIVE) {
            return Bytes.wrap(new byte[] {(byte) LIVE});
        }
        in.require("first byte of a deletion, if not 128", first, 0, LIVE - 1);
        in.seek(in.position() - 1);
        return in.readBytes(DELETION_BYTES);
    }

    private record Step(TrieNode node, int nextChild) {}

    /**
     * Visits all blocks of a partition.
     *
     * @throws SSTableException if their number differs from the entry, or they are not ascending
     */
    public void visitBlocks(Entry entry, BlockVisitor visitor) throws IOException {
        Deque<Step> steps = new ArrayDeque<>();
        byte[] path = new byte[64];
        long last = -1;
        long count = 0;
        TrieNode node = TrieNode.read(in, entry.root());
        while (true) {
            if (node.hasPayload()) {
                in.seek(node.payloadPosition());
                long offset = offset(node.payloadFlags());
                in.require("offset of a block", offset, last + 1, Long.MAX_VALUE);
                Bytes open = (node.payloadFlags() & RowsWriter.DELETION_FLAG) != 0 ? deletion() : Bytes.EMPTY;
                visitor.visit(path, steps.size(), offset, open);
                last = offset;
                count++;
            }
            Step next = new Step(node, node.childFrom(0));
            while (next.nextChild() == next.node().children()) {
                if (steps.isEmpty()) {
                    requireCount(entry, count);
                    return;
                }
                Step parent = steps.pop();
                next = new Step(parent.node(), parent.node().childFrom(parent.nextChild() + 1));
            }
            in.require("depth of the trie", steps.size(), 0, MAX_DEPTH);
            if (path.length == steps.size()) {
                path = Arrays.copyOf(path, 2 * path.length);
            }
            path[steps.size()] = (byte) next.node().transition(next.nextChild());
            steps.push(next);
            node = TrieNode.read(in, next.node().childPosition(next.nextChild()));
        }
    }

    private void requireCount(Entry entry, long count) throws IOException {
        if (count != entry.blocks() + 1) {
            throw in.malformed("trie of " + entry.key() + " with " + count + " places (expected: those of "
                    + entry.blocks() + " blocks, and the end)");
        }
    }

    private long offset(int payloadFlags) throws IOException {
        int length = payloadFlags & OFFSET_MASK;
        in.require("bytes of an offset", length, 1, OFFSET_MASK);
        long offset = in.readByte();
        for (int i = 1; i < length; i++) {
            offset = offset << 8 | in.readUnsignedByte();
        }
        return offset;
    }

    /** Creates the error for an entry that does not match the data, to be thrown. */
    public SSTableException malformed(String problem) {
        return in.malformed(problem);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
