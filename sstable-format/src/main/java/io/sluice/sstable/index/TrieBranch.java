package io.sluice.sstable.index;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A branch of Partitions.db that can be copied as it is: a node with all its descendants, contiguous on one page, whose
 * partitions have no entry in Rows.db. Distances in a branch stay the same wherever it is written, so only the
 * positions of its partitions are replaced. Nodes are read in place, without objects: see the table of this package.
 * Not thread-safe: confined to its copier.
 */
final class TrieBranch {
    /** More than the nodes of any page that a writer has made: a malformed one must not exhaust the stack. */
    private static final int MOST_DEPTH = 256;

    private static final int LOW_BITS = 0xf;
    private static final int HASH_FLAG = 8;
    /** A payload's offset and, in as many low bits as these, the length of its number. */
    private static final int LENGTH_BITS = 4;

    private static final VarHandle BIG_ENDIAN_LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle BIG_ENDIAN_INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private final int[] payloads = new int[TrieWriter.PAGE_BYTES];
    private final long[] positions = new long[TrieWriter.PAGE_BYTES];
    private byte[] page = new byte[0];
    private int start;
    private int root;
    private int end;
    private int nodeBytes;
    private int count;
    private long last;
    private long before;

    /**
     * Looks whether the node at {@code offset} of a page is the root of such a branch.
     *
     * @param bytes the page, and at least eight more bytes
     * @param after all its partitions are after this position in Data.db
     * @param before all its partitions are before this position in Data.db
     */
    boolean find(byte[] bytes, int offset, long after, long before) {
        this.page = bytes;
        this.root = offset;
        this.start = offset;
        this.end = offset;
        this.nodeBytes = 0;
        this.count = 0;
        this.last = after;
        this.before = before;
        return isBranch(offset, TrieWriter.PAGE_BYTES, 0) && nodeBytes == end - start;
    }

    /** @param limit where the node ends at the latest: where its parent begins */
    private boolean isBranch(int at, int limit, int depth) {
        int type = byteAt(at) >>> 4;
        int low = byteAt(at) & LOW_BITS;
        if (type == 0) {
            return isLeaf(at, low, limit);
        }
        if (depth == MOST_DEPTH) {
            return false;
        }
        return switch (type) {
            case 1 -> isNode(at, at + 2, limit) && isChild(at, low, depth);
            case 3 -> isNode(at, at + 3, limit) && isChild(at, low << Byte.SIZE | byteAt(at + 1), depth);
            case 2 -> low == 0 && isNode(at, at + 3, limit) && isChild(at, byteAt(at + 2), depth);
            case 4 -> low == 0 && isNode(at, at + 4, limit) && isChild(at, number(at + 2, 2), depth);
            default -> low == 0 && isWide(at, type, limit, depth);
        };
    }

    private boolean isWide(int at, int type, int limit, int depth) {
        boolean isDense = NodeShape.isDense(type);
        int children = isDense ? byteAt(at + 2) + 1 : byteAt(at + 1);
        int distances = isDense ? at + 3 : at + 2 + children;
        int bits = NodeShape.bitsOf(type);
        if (!isNode(at, distances + (children * bits + 7) / Byte.SIZE, limit)) {
            return false;
        }
        boolean hasChild = false; // without one, a corrupt page could have more paths than can be followed
        for (int i = 0; i < children; i++) {
            long distance = bits == 12 ? packed(distances, i) : number(distances + i * bits / Byte.SIZE, bits / 8);
            if (distance == 0 && isDense) {
                continue;
            }
            if (!isChild(at, distance, depth)) {
                return false;
            }
            hasChild = true;
        }
        return hasChild;
    }

    /** Two distances in three bytes, high bits first. */
    private long packed(int distances, int index) {
        int at = distances + index / 2 * 3;
        return index % 2 == 0
                ? byteAt(at) << 4 | byteAt(at + 1) >>> 4
                : (byteAt(at + 1) & LOW_BITS) << Byte.SIZE | byteAt(at + 2);
    }

    private boolean isChild(int parent, long distance, int depth) {
        if (distance <= 0 || distance > parent) {
            return false;
        }
        int child = parent - (int) distance;
        int first = byteAt(child);
        return first <= LOW_BITS ? isLeaf(child, first, parent) : isBranch(child, parent, depth + 1);
    }

    private boolean isNode(int at, int nodeEnd, int limit) {
        start = Math.min(start, at);
        end = Math.max(end, nodeEnd);
        nodeBytes += nodeEnd - at;
        return nodeEnd <= limit;
    }

    private boolean isLeaf(int at, int flags, int limit) {
        int payload = flags >= HASH_FLAG ? at + 2 : at + 1;
        int length = flags >= HASH_FLAG ? flags - HASH_FLAG + 1 : flags;
        if (flags == 0 || !isNode(at, payload + length, limit) || page[payload] >= 0) { // in Rows.db if not negative
            return false;
        }
        long position = ~((long) BIG_ENDIAN_LONG.get(page, payload) >> (Long.SIZE - Byte.SIZE * length));
        if (position <= last || position >= before) {
            return false;
        }
        last = position;
        payloads[count] = payload << LENGTH_BITS | length;
        positions[count++] = position;
        return true;
    }

    private int byteAt(int at) {
        return page[at] & 0xff;
    }

    private long number(int at, int length) {
        long number = 0;
        for (int i = 0; i < length; i++) {
            number = number << Byte.SIZE | byteAt(at + i);
        }
        return number;
    }

    /** The number of partitions. */
    int count() {
        return count;
    }

    /** The position in Data.db of partition {@code index}; they are ascending. */
    long position(int index) {
        return positions[index];
    }

    /** Where the root is in a {@link #copy}. */
    int rootOffset() {
        return root - start;
    }

    /** Whether each position less {@code base} has as many bytes as before. */
    boolean fits(long base) {
        boolean fits = true;
        for (int i = 0; base < 0 && fits && i < count; i++) {
            int length = payloads[i] & (1 << LENGTH_BITS) - 1;
            fits = PartitionsWriter.lengthOfSigned(~(positions[i] - base)) <= length;
        }
        return fits;
    }

    /** The length of all nodes, at most a page. */
    int lengthBytes() {
        return end - start;
    }

    /** A copy of the nodes, with positions less {@code base}. */
    byte[] copy(long base) {
        byte[] copy = Arrays.copyOfRange(page, start, end);
        rebase(base, copy);
        return copy;
    }

    /** Copies them to the beginning of {@code copy}. */
    void copy(long base, byte[] copy) {
        System.arraycopy(page, start, copy, 0, end - start);
        rebase(base, copy);
    }

    private void rebase(long base, byte[] copy) {
        for (int i = 0; i < count; i++) {
            int payload = (payloads[i] >>> LENGTH_BITS) - start;
            int length = payloads[i] & (1 << LENGTH_BITS) - 1;
            long number = ~(positions[i] - base);
            if (length == Integer.BYTES) { // of Data.db of 8 MiB to 2 GiB
                BIG_ENDIAN_INT.set(copy, payload, (int) number);
                continue;
            }
            for (int at = payload + length - 1; at >= payload; at--) {
                copy[at] = (byte) number;
                number >>= Byte.SIZE;
            }
        }
    }
}
