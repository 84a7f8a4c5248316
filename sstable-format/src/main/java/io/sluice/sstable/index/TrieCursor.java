package io.sluice.sstable.index;

import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.token.PartitionKey;
import io.sluice.sstable.token.Token;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Walks the trie of Partitions.db in order. Its leaves name positions only: keys are read in Rows.db or Data.db. Holds
 * the nodes of one path.
 */
public final class TrieCursor implements PartitionCursor {
    private static final int WINDOW_BYTES = 1 << 12;
    private static final int KEY_WINDOW_BYTES = 1 << 9;
    private static final int TOKEN_MARK = 0x40;
    private static final int TOKEN_PREFIX_BYTES = 1 + Long.BYTES;

    /** Every byte of a key may take two in its comparable form; the token and marks come on top. */
    private static final int MAX_DEPTH = 2 * PartitionKey.MAX_LENGTH_BYTES + 64;

    private final ComponentInput partitions;
    private final ComponentInput rows;
    private final ComponentInput data;
    private final Closeable source;
    private final TrieFooter footer;
    private final Deque<Step> path = new ArrayDeque<>();
    private @Nullable Located ahead;

    private TrieCursor(ComponentInput partitions, ComponentInput rows, ComponentInput data, Closeable source)
            throws IOException {
        this.partitions = partitions;
        this.rows = rows;
        this.data = data;
        this.source = source;
        this.footer = TrieFooter.read(partitions);
        descend(footer.rootPosition());
        ahead = locateNext(null);
    }

    /** A node on the path and its child to visit next. */
    private static final class Step {
        private final TrieNode node;
        private int nextChild;

        Step(TrieNode node, int nextChild) {
            this.node = node;
            this.nextChild = nextChild;
        }
    }

    private record Located(PartitionKey key, long position) {}

    /** Opens the trie of an SSTable; takes over {@code data}, its uncompressed content. */
    public static TrieCursor takeOver(Path partitions, Path rows, DataReader data) throws IOException {
        Deque<Closeable> opened = new ArrayDeque<>(List.of(data));
        try {
            ComponentInput nodes = ComponentInput.open(partitions, WINDOW_BYTES);
            opened.push(nodes);
            ComponentInput heads = ComponentInput.open(rows, KEY_WINDOW_BYTES);
            opened.push(heads);
            ComponentInput content = ComponentInput.over(data.file(), data, data.lengthBytes(), KEY_WINDOW_BYTES);
            return new TrieCursor(nodes, heads, content, data);
        } catch (IOException | RuntimeException failed) {
            for (Closeable resource : opened) {
                resource.close();
            }
            throw failed;
        }
    }

    @Override
    public Optional<PartitionEntry> next() throws IOException {
        Located current = ahead;
        if (current == null) {
            return Optional.empty();
        }
        ahead = locateNext(current);
        long end = ahead == null ? data.length() : ahead.position();
        return Optional.of(new PartitionEntry(current.key(), current.position(), end - current.position()));
    }

    @Override
    public void seekAfter(Token token) throws IOException {
        path.clear();
        seekPath(token);
        ahead = locateNext(null);
        // A leaf on the way stands for the token or for one near it: only its key tells.
        while (ahead != null && ahead.key().token().compareTo(token) <= 0) {
            ahead = locateNext(ahead);
        }
    }

    /** Goes down along the token as long as there are nodes, so that what is left to visit comes after it. */
    private void seekPath(Token token) throws IOException {
        long position = footer.rootPosition();
        for (int depth = 0; depth < TOKEN_PREFIX_BYTES; depth++) {
            TrieNode node = TrieNode.read(partitions, position);
            int wanted = prefixByte(token, depth);
            int child = node.childAt(wanted);
            boolean isOnPath =
                    child < node.children() && node.transition(child) == wanted && node.childFrom(child) == child;
            path.push(new Step(node, isOnPath ? child + 1 : child));
            if (!isOnPath) {
                return;
            }
            position = node.childPosition(child);
        }
    }

    private static int prefixByte(Token token, int depth) {
        return depth == 0 ? TOKEN_MARK : (int) ((token.value() ^ Long.MIN_VALUE) >>> (64 - 8 * depth)) & 0xff;
    }

    private void descend(long position) throws IOException {
        if (path.size() > MAX_DEPTH) {
            throw partitions.malformed("depth of the trie (expected: at most " + MAX_DEPTH + ")");
        }
        path.push(new Step(TrieNode.read(partitions, position), 0));
    }

    private @Nullable Located locateNext(@Nullable Located previous) throws IOException {
        while (!path.isEmpty()) {
            Step step = path.peek();
            if (step.node.isLeaf()) {
                path.pop();
                return locate(step.node, previous);
            }
            int child = step.node.childFrom(step.nextChild);
            if (child < step.node.children()) {
                step.nextChild = child + 1;
                descend(step.node.childPosition(child));
            } else {
                path.pop();
            }
        }
        return null;
    }

    private Located locate(TrieNode leaf, @Nullable Located previous) throws IOException {
        int flags = leaf.payloadFlags();
        partitions.seek(leaf.payloadPosition());
        Optional<Byte> hashByte = flags >= 8 ? Optional.of(partitions.readByte()) : Optional.empty();
        int length = flags >= 8 ? flags - 7 : flags;
        long number = partitions.readByte();
        for (int i = 1; i < length; i++) {
            number = number << 8 | partitions.readUnsignedByte();
        }
        Located located = number < 0 ? inData(~number) : inRows(number);
        boolean isHashByteRight =
                hashByte.map(b -> b == (byte) located.key().hash().h2()).orElse(true);
        if (!isHashByteRight) {
            throw partitions.malformed("hash byte of key " + located.key() + " (expected: the key's)");
        }
        boolean isAscending = previous == null
                || (located.position() > previous.position() && located.key().compareTo(previous.key()) > 0);
        if (!isAscending || located.position() >= data.length()) {
            throw partitions.malformed("partition " + located + " after " + previous + " (expected: ascending, within "
                    + data.length() + " bytes of data)");
        }
        return located;
    }

    private Located inData(long position) throws IOException {
        data.seek(position);
        return new Located(PartitionKey.of(data.readShortBytes()), position);
    }

    private Located inRows(long rowsPosition) throws IOException {
        rows.seek(rowsPosition);
        PartitionKey key = PartitionKey.of(rows.readShortBytes());
        return new Located(key, rows.require("position in Data.db", rows.readUnsignedVInt(), 0, Long.MAX_VALUE));
    }

    @Override
    public void close() throws IOException {
        try (source;
                partitions) {
            rows.close();
        }
    }
}
