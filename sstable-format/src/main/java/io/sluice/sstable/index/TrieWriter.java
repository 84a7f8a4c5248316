package io.sluice.sstable.index;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.encoding.GrowingBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Writes tries from ascending paths, so that no node spans two pages: readers load one page at a time.
 *
 * <p>A branch, a node with its descendants, stays in memory until it exceeds a page; then the branches of its children
 * are written, the largest that fits first, and only their positions are kept. Memory is bounded by the nodes of one
 * path, each with branches of {@value #MAX_KEPT_BYTES} bytes.
 *
 * <p>Not thread-safe: confined to its writer, which closes the file.
 */
final class TrieWriter {
    /** The unit of loading by readers. */
    static final int PAGE_BYTES = 1 << 12;

    /** Branches of one node that are kept; more are written before the node is complete. */
    private static final int MAX_KEPT_BYTES = 16 * PAGE_BYTES;

    private static final byte[] PADDING = new byte[PAGE_BYTES];

    private final ComponentOutput out;
    private final GrowingBuffer encoded = new GrowingBuffer();
    private final List<WrittenNode> open = new ArrayList<>();
    private byte[] path = new byte[16];

    TrieWriter(ComponentOutput out) {
        this.out = out;
        open.add(new WrittenNode(0));
    }

    /** A node: open, complete and kept, or written. A written node has only a position. */
    private static final class WrittenNode {
        private static final WrittenNode[] NONE = {};
        private static final byte[] NOT_COPIED = {};

        final int transition;
        int payloadFlags;
        Bytes payload = Bytes.EMPTY;
        /** All nodes of a copied branch, this one last; empty for others. */
        byte[] copied = NOT_COPIED;
        /** Where this node is in them. */
        int offsetInCopied;

        WrittenNode[] children = NONE;
        int childCount;
        long position;
        boolean isWritten;
        /** Unwritten bytes of the branch; an upper bound, because distances are not known yet. */
        int keptBytes;
        /** Unwritten bytes of complete branches of children. */
        int keptBelow;

        WrittenNode(int transition) {
            this.transition = transition;
        }

        void addChild(WrittenNode child) {
            if (childCount == children.length) {
                children = Arrays.copyOf(children, Math.max(2, 2 * childCount));
            }
            children[childCount++] = child;
        }

        int[] transitions() {
            var transitions = new int[childCount];
            for (int i = 0; i < childCount; i++) {
                transitions[i] = children[i].transition;
            }
            return transitions;
        }

        void forgetChildren() {
            children = NONE;
            childCount = 0;
            payload = Bytes.EMPTY;
            copied = NOT_COPIED;
        }
    }

    /**
     * Adds a payload.
     *
     * @param next the path, of which the first {@code length} bytes are used: greater than the previous one; only the
     *     first may be empty
     * @param payloadFlags 1 to 15
     * @param payload kept until it is written
     */
    void add(byte[] next, int length, int payloadFlags, Bytes payload) throws IOException {
        WrittenNode last = open(next, length);
        last.payloadFlags = payloadFlags;
        last.payload = payload;
    }

    /**
     * Adds a branch of another trie.
     *
     * @param next the path to its root, as of {@link #add}; not empty, and of no later path the beginning
     * @param nodes all of it, at most a page, the root last; kept until it is written
     * @param rootOffset where the root begins in {@code nodes}
     */
    void addBranch(byte[] next, int length, byte[] nodes, int rootOffset) throws IOException {
        WrittenNode root = open(next, length);
        root.copied = nodes;
        root.offsetInCopied = rootOffset;
        closeTo(length - 1);
    }

    /**
     * Adds a branch of another trie as {@link #addBranch} does, and writes it now: cheaper, for small branches of a
     * node whose branches need several pages.
     *
     * @param nodes its remaining bytes
     */
    void writeBranch(byte[] next, int length, ByteBuffer nodes, int rootOffset) throws IOException {
        WrittenNode root = open(next, length);
        int room = roomInPage();
        if (nodes.remaining() > room) {
            out.put(ByteBuffer.wrap(PADDING, 0, room));
        }
        root.position = out.position() + rootOffset;
        out.put(nodes);
        root.isWritten = true;
        open.remove(length);
    }

    /** Closes the nodes that are not on a path, and opens the others. */
    private WrittenNode open(byte[] next, int length) throws IOException {
        int depth = open.size() - 1;
        int common = Arrays.mismatch(path, 0, depth, next, 0, length);
        boolean isFirst = depth == 0 && open.get(0).payloadFlags == 0 && open.get(0).childCount == 0;
        if (common < 0 ? !isFirst : common < depth && (common == length || isBelow(next, common))) {
            throw new IllegalArgumentException("path " + Bytes.wrap(next, 0, length) + " after "
                    + Bytes.wrap(path, 0, depth) + " (expected: ascending)");
        }
        closeTo(Math.max(0, common));
        if (path.length < length) {
            path = Arrays.copyOf(path, Math.max(length, 2 * path.length));
        }
        for (int i = open.size() - 1; i < length; i++) {
            path[i] = next[i];
            WrittenNode node = new WrittenNode(next[i] & 0xff);
            open.get(i).addChild(node);
            open.add(node);
        }
        return open.get(length);
    }

    private boolean isBelow(byte[] next, int index) {
        return (next[index] & 0xff) < (path[index] & 0xff);
    }

    /**
     * Writes the rest of the trie.
     *
     * @return the position of its root; the next path begins another trie
     */
    long finish() throws IOException {
        closeTo(0);
        WrittenNode root = open.get(0);
        if (root.childCount == 0 && root.payloadFlags == 0) {
            throw new IllegalStateException("no path (expected: at least one)");
        }
        complete(root);
        write(root);
        open.set(0, new WrittenNode(0));
        return root.position;
    }

    private void closeTo(int depth) throws IOException {
        while (open.size() - 1 > depth) {
            WrittenNode closed = open.remove(open.size() - 1);
            complete(closed);
            WrittenNode parent = open.get(open.size() - 1);
            parent.keptBelow += closed.keptBytes;
            if (parent.keptBelow > MAX_KEPT_BYTES) {
                writeChildren(parent);
            }
        }
    }

    private void complete(WrittenNode node) throws IOException {
        if (mostBytes(node) + node.keptBelow > PAGE_BYTES) {
            writeChildren(node);
        }
        node.keptBytes = mostBytes(node) + node.keptBelow;
    }

    /** The maximum length of the node itself, written anywhere in the next pages. */
    private int mostBytes(WrittenNode node) {
        if (node.copied.length > 0) {
            return node.copied.length;
        }
        if (node.childCount == 0) {
            return 1 + node.payload.length();
        }
        long farthest = node.keptBelow; // the bytes directly before it
        for (int i = 0; i < node.childCount; i++) {
            if (node.children[i].isWritten) {
                farthest = Math.max(farthest, out.position() + MAX_KEPT_BYTES - node.children[i].position);
            }
        }
        return NodeShape.smallest(node.transitions(), farthest, node.payloadFlags != 0)
                        .lengthBytes()
                + node.payload.length();
    }

    /** Fills pages: writes the largest branch that fits; the largest of all begins another page. */
    private void writeChildren(WrittenNode node) throws IOException {
        List<WrittenNode> left = new ArrayList<>();
        for (int i = 0; i < node.childCount; i++) {
            if (!node.children[i].isWritten) {
                left.add(node.children[i]);
            }
        }
        left.sort(
                Comparator.comparingInt((WrittenNode child) -> child.keptBytes).reversed());
        while (!left.isEmpty()) {
            int fitting = firstThatFits(left, roomInPage());
            write(left.remove(fitting == left.size() ? 0 : fitting));
        }
        node.keptBelow = 0;
    }

    /** The index of the largest branch of at most {@code room} bytes, or their number. */
    private static int firstThatFits(List<WrittenNode> fromTheLargest, int room) {
        int from = 0;
        int until = fromTheLargest.size();
        while (from < until) {
            int middle = (from + until) >>> 1;
            if (fromTheLargest.get(middle).keptBytes <= room) {
                until = middle;
            } else {
                from = middle + 1;
            }
        }
        return from;
    }

    private int roomInPage() {
        return PAGE_BYTES - (int) (out.position() % PAGE_BYTES);
    }

    private void write(WrittenNode branch) throws IOException {
        int room = roomInPage();
        encode(branch);
        if (encoded.length() > room && room < PAGE_BYTES) {
            out.put(ByteBuffer.wrap(PADDING, 0, room));
            encode(branch);
        }
        if (encoded.length() > PAGE_BYTES) { // its children are farther away than estimated
            writeChildren(branch);
            write(branch);
            return;
        }
        out.put(encoded.written());
        branch.isWritten = true;
        branch.keptBytes = 0;
        branch.forgetChildren();
    }

    private void encode(WrittenNode branch) {
        encoded.clear();
        encode(branch, out.position());
    }

    /** Encodes children first; a branch is at most a page, which bounds the depth of the recursion. */
    private void encode(WrittenNode node, long start) {
        for (int i = 0; i < node.childCount; i++) {
            if (!node.children[i].isWritten) {
                encode(node.children[i], start);
            }
        }
        node.position = start + encoded.length() + node.offsetInCopied;
        if (node.copied.length > 0) {
            encoded.put(node.copied, 0, node.copied.length);
            return;
        }
        if (node.childCount == 0) {
            encoded.putByte(node.payloadFlags).put(node.payload);
            return;
        }
        var distances = new long[node.childCount];
        long farthest = 0;
        for (int i = 0; i < node.childCount; i++) {
            distances[i] = node.position - node.children[i].position;
            farthest = Math.max(farthest, distances[i]);
        }
        int[] transitions = node.transitions();
        NodeShape.smallest(transitions, farthest, node.payloadFlags != 0)
                .write(transitions, distances, node.payloadFlags, encoded);
        encoded.put(node.payload);
    }
}
