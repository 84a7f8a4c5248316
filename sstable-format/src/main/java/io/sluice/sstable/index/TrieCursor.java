package io.sluice.sstable.index;

import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.token.Token;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the trie of Partitions.db in order. Its leaves have positions only: keys are read in Rows.db or
 * Data.db. Keeps the nodes of one path in memory.
 */
public final class TrieCursor implements PartitionCursor {
    private static final int WINDOW_BYTES = TrieWriter.PAGE_BYTES;
    /** Keys of more than a hundred tiny partitions, and not much more to read than one key of a large one. */
    private static final int KEY_WINDOW_BYTES = 1 << 12;

    /** Every byte of a key may be encoded as two; the token and separators are added. */
    private static final int MAX_DEPTH = 2 * PartitionKey.MAX_LENGTH_BYTES + 64;

    private final ComponentInput partitions;
    private final ComponentInput rows;
    private final ComponentInput data;
    private final Closeable source;
    private final TrieFooter footer;
    private final Deque<Step> path = new ArrayDeque<>();
    private byte[] transitions = new byte[16];
    private @Nullable Located ahead;
    private @Nullable Located current;
    private long page = -1;

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

    /** A node on the path, and its next child. */
    private static final class Step {
        private final TrieNode node;
        private int nextChild;

        Step(TrieNode node, int nextChild) {
            this.node = node;
            this.nextChild = nextChild;
        }
    }

    /** @param rowsPosition of the partition's entry in Rows.db, -1 if it has none */
    private record Located(PartitionKey key, long position, long rowsPosition) {}

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
        Located located = ahead;
        current = located;
        if (located == null) {
            return Optional.empty();
        }
        ahead = locateNext(located);
        long end = ahead == null ? data.length() : ahead.position();
        return Optional.of(new PartitionEntry(located.key(), located.position(), end - located.position()));
    }

    /** The position in Rows.db of the entry of the last partition; empty if it has none. */
    public OptionalLong rowsPosition() {
        return current == null || current.rowsPosition() < 0
                ? OptionalLong.empty()
                : OptionalLong.of(current.rowsPosition());
    }

    @Override
    public void seekAfter(Token token) throws IOException {
        path.clear();
        seekPath(token);
        ahead = locateNext(null);
        // A leaf on the path has this token or a near one: only its key decides.
        while (ahead != null && ahead.key().token().compareTo(token) <= 0) {
            ahead = locateNext(ahead);
        }
    }

    /** Descends along the token, so that the remaining nodes are after it. */
    private void seekPath(Token token) throws IOException {
        long position = footer.rootPosition();
        for (int depth = 0; depth < ComparableKey.TOKEN_BYTES; depth++) {
            TrieNode node = readNode(position);
            int wanted = ComparableKey.byteOf(token, depth);
            int child = node.childAt(wanted);
            boolean isOnPath =
                    child < node.children() && node.transition(child) == wanted && node.childFrom(child) == child;
            path.push(new Step(node, isOnPath ? child + 1 : child));
            if (!isOnPath) {
                return;
            }
            transitions[depth] = (byte) wanted;
            position = node.childPosition(child);
        }
    }

    private void descend(long position) throws IOException {
        if (path.size() > MAX_DEPTH) {
            throw partitions.malformed("depth of the trie (expected: at most " + MAX_DEPTH + ")");
        }
        path.push(new Step(readNode(position), 0));
    }

    private TrieNode readNode(long position) throws IOException {
        enterPage(position - position % WINDOW_BYTES);
        TrieNode node = TrieNode.read(partitions, position);
        if (node.hasPayload() && !node.isLeaf()) {
            throw partitions.malformed("a payload before children (expected: no key is a prefix of another)");
        }
        return node;
    }

    /**
     * Loads a whole page, because children precede their parents: a window that begins with a node has none of them.
     */
    private void enterPage(long start) throws IOException {
        if (start != page) {
            partitions.seek(start);
            partitions.readByte();
            page = start;
        }
    }

    private @Nullable Located locateNext(@Nullable Located previous) throws IOException {
        while (!path.isEmpty()) {
            Step step = path.peek();
            if (step.node.isLeaf()) {
                path.pop();
                return locate(step.node, path.size(), previous);
            }
            int child = step.node.childFrom(step.nextChild);
            if (child < step.node.children()) {
                step.nextChild = child + 1;
                setTransition(path.size() - 1, step.node.transition(child));
                descend(step.node.childPosition(child));
            } else {
                path.pop();
            }
        }
        return null;
    }

    private void setTransition(int depth, int transition) {
        if (depth == transitions.length) {
            transitions = Arrays.copyOf(transitions, 2 * depth);
        }
        transitions[depth] = (byte) transition;
    }

    /** @param depth length of the path */
    private Located locate(TrieNode leaf, int depth, @Nullable Located previous) throws IOException {
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
        if (!isHashByteRight || !ComparableKey.begins(transitions, depth, located.key())) {
            throw partitions.malformed((isHashByteRight ? "path to key " : "hash byte of key ") + located.key()
                    + " (expected: the key's; a look-up does not find it)");
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
        return new Located(PartitionKey.of(data.readShortBytes()), position, -1);
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
