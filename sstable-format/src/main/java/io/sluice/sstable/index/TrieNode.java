package io.sluice.sstable.index;

import io.sluice.sstable.encoding.ComponentInput;
import java.io.IOException;

/**
 * One node of a trie, read into memory: at most 256 children. Children precede their parents in the file, and a node
 * has a child or a payload, so every path ends, and at a payload, which readers require to be ascending. Confined to
 * its cursor.
 */
final class TrieNode {
    private static final int PAYLOAD_ONLY = 0;
    private static final int SINGLE_4 = 1;
    private static final int SINGLE_8 = 2;
    private static final int SINGLE_12 = 3;
    private static final int SINGLE_16 = 4;
    private static final int SPARSE_8 = 5;
    private static final int SPARSE_12 = 6;
    private static final int SPARSE_16 = 7;
    private static final int SPARSE_24 = 8;
    private static final int SPARSE_40 = 9;
    private static final int DENSE_12 = 10;
    private static final int[] DENSE_BYTES = {2, 3, 4, 5, 8}; // types 11 to 15

    private static final int[] NO_TRANSITIONS = {};
    private static final long[] NO_DISTANCES = {};

    private final long position;
    private final int payloadFlags;
    private final int[] transitions;
    private final long[] distances;
    private final long payloadPosition;

    private TrieNode(ComponentInput in, long position) throws IOException {
        in.seek(position);
        this.position = position;
        int first = in.readUnsignedByte();
        int type = first >>> 4;
        int low = first & 0xf;
        this.payloadFlags = type == SINGLE_4 || type == SINGLE_12 ? 0 : low;
        switch (type) {
            case PAYLOAD_ONLY -> {
                transitions = NO_TRANSITIONS;
                distances = NO_DISTANCES;
            }
            case SINGLE_4 -> {
                transitions = new int[] {in.readUnsignedByte()};
                distances = new long[] {low};
            }
            case SINGLE_12 -> {
                distances = new long[] {low << 8 | in.readUnsignedByte()};
                transitions = new int[] {in.readUnsignedByte()};
            }
            case SINGLE_8, SINGLE_16 -> {
                transitions = new int[] {in.readUnsignedByte()};
                distances = readWhole(in, 1, type == SINGLE_8 ? 1 : 2);
            }
            case SPARSE_8, SPARSE_12, SPARSE_16, SPARSE_24, SPARSE_40 -> {
                transitions = readTransitions(in);
                distances = type == SPARSE_12
                        ? readPacked(in, transitions.length)
                        : readWhole(in, transitions.length, sparseBytes(type));
            }
            default -> {
                int from = in.readUnsignedByte();
                int count = in.readUnsignedByte() + 1;
                in.require("last transition", from + count - 1, from, 255);
                transitions = new int[count];
                for (int i = 0; i < count; i++) {
                    transitions[i] = from + i;
                }
                distances = type == DENSE_12
                        ? readPacked(in, count)
                        : readWhole(in, count, DENSE_BYTES[type - DENSE_12 - 1]);
            }
        }
        this.payloadPosition = in.position();
        check(in, type >= DENSE_12);
    }

    static TrieNode read(ComponentInput in, long position) throws IOException {
        return new TrieNode(in, position);
    }

    private static int sparseBytes(int type) {
        return switch (type) {
            case SPARSE_8 -> 1;
            case SPARSE_16 -> 2;
            case SPARSE_24 -> 3;
            default -> 5;
        };
    }

    private static int[] readTransitions(ComponentInput in) throws IOException {
        int count = (int) in.require("children", in.readUnsignedByte(), 1, 255);
        var transitions = new int[count];
        for (int i = 0; i < count; i++) {
            int least = i == 0 ? 0 : transitions[i - 1] + 1;
            transitions[i] = (int) in.require("transition", in.readUnsignedByte(), least, 255);
        }
        return transitions;
    }

    private static long[] readWhole(ComponentInput in, int count, int bytesEach) throws IOException {
        var distances = new long[count];
        for (int i = 0; i < count; i++) {
            for (int b = 0; b < bytesEach; b++) {
                distances[i] = distances[i] << 8 | in.readUnsignedByte();
            }
        }
        return distances;
    }

    /** Two distances in three bytes, high bits first. */
    private static long[] readPacked(ComponentInput in, int count) throws IOException {
        var distances = new long[count];
        int shared = 0;
        for (int i = 0; i < count; i++) {
            int next = in.readUnsignedByte();
            if (i % 2 == 0) {
                shared = in.readUnsignedByte();
                distances[i] = (long) next << 4 | shared >>> 4;
            } else {
                distances[i] = (shared & 0xfL) << 8 | next;
            }
        }
        return distances;
    }

    private void check(ComponentInput in, boolean isDense) throws IOException {
        for (long distance : distances) {
            in.require("distance to a child", distance, isDense ? 0 : 1, position);
        }
        if (isLeaf() && payloadFlags == 0) {
            throw in.malformed("a leaf without payload (expected: one)");
        }
        if (!isLeaf() && childFrom(0) == children()) { // a few of them could have more paths than can be followed
            throw in.malformed("node of the trie without a child (expected: at least one)");
        }
    }

    long position() {
        return position;
    }

    boolean isLeaf() {
        return distances.length == 0;
    }

    boolean hasPayload() {
        return payloadFlags != 0;
    }

    int payloadFlags() {
        return payloadFlags;
    }

    long payloadPosition() {
        return payloadPosition;
    }

    /** The number of the first child at {@code from} or after that exists, or the number of children. */
    int childFrom(int from) {
        int child = from;
        while (child < distances.length && distances[child] == 0) {
            child++;
        }
        return child;
    }

    /** The number of the first child whose transition is not less, existing or not. */
    int childAt(int transition) {
        int child = 0;
        while (child < transitions.length && transitions[child] < transition) {
            child++;
        }
        return child;
    }

    int children() {
        return distances.length;
    }

    int transition(int child) {
        return transitions[child];
    }

    long childPosition(int child) {
        return position - distances[child];
    }
}
