package io.sluice.sstable.index;

import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.token.Token;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * The way through the trie of Partitions.db: the nodes from the root to one of them, each with its next child. Keeps
 * the nodes of one path in memory. Not thread-safe: confined to its cursor.
 */
final class TriePath {
    /** No more nodes. */
    static final long NONE = -1;

    /** Every byte of a key may be encoded as two; the token and separators are added. */
    private static final int MAX_DEPTH = 2 * PartitionKey.MAX_LENGTH_BYTES + 64;

    private final ComponentInput partitions;
    private final long root;
    private final Deque<Step> path = new ArrayDeque<>();
    private byte[] transitions = new byte[16];
    private long pending;
    private long page = NONE;

    /** A node on the path, and its next child. */
    private static final class Step {
        private final TrieNode node;
        private int nextChild;

        Step(TrieNode node, int nextChild) {
            this.node = node;
            this.nextChild = nextChild;
        }
    }

    /** Begins before the root, at position {@code root} of {@code partitions}, which it does not close. */
    TriePath(ComponentInput partitions, long root) {
        this.partitions = partitions;
        this.root = root;
        this.pending = root;
    }

    /** The position of the root. */
    long root() {
        return root;
    }

    /** Goes along the token, so that the remaining nodes are those of it or after it. */
    void seek(Token token) throws IOException {
        path.clear();
        pending = NONE;
        long position = root;
        for (int depth = 0; depth < ComparableKey.TOKEN_BYTES; depth++) {
            TrieNode node = read(position);
            if (node.isLeaf()) {
                pending = position;
                return;
            }
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
        pending = position; // the keys of exactly this token
    }

    /**
     * The position of the next node in order, or {@link #NONE}. Its descendants are skipped unless it is entered;
     * {@link #depth} and {@link #transitions} are those of this node.
     */
    long next() {
        if (pending != NONE) {
            long position = pending;
            pending = NONE;
            return position;
        }
        while (!path.isEmpty()) {
            Step step = path.element();
            int child = step.node.childFrom(step.nextChild);
            if (child < step.node.children()) {
                step.nextChild = child + 1;
                setTransition(path.size() - 1, step.node.transition(child));
                return step.node.childPosition(child);
            }
            path.pop();
        }
        return NONE;
    }

    /** Enters the node that was next: its first child is next. */
    void enter(TrieNode node) throws IOException {
        if (path.size() > MAX_DEPTH) {
            throw partitions.malformed("depth of the trie (expected: at most " + MAX_DEPTH + ")");
        }
        path.push(new Step(node, 0));
    }

    /** Whether the node that was next, at {@code position}, is on another page than its parent. */
    boolean isApart(long position) {
        return !path.isEmpty()
                && path.element().node.position() / TrieWriter.PAGE_BYTES != position / TrieWriter.PAGE_BYTES;
    }

    /** The length of the path to the node that was next. */
    int depth() {
        return path.size();
    }

    /** The path to the node that was next; valid until the next call of this object. */
    byte[] transitions() {
        return transitions;
    }

    private void setTransition(int depth, int transition) {
        if (depth == transitions.length) {
            transitions = Arrays.copyOf(transitions, 2 * depth);
        }
        transitions[depth] = (byte) transition;
    }

    /** Reads the node at a position. */
    TrieNode read(long position) throws IOException {
        enterPage(position - position % TrieWriter.PAGE_BYTES);
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
}
