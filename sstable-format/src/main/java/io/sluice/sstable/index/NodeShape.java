package io.sluice.sstable.index;

import io.sluice.sstable.encoding.GrowingBuffer;

/**
 * The encodings of nodes with children; see the table of this package. Immutable.
 *
 * @param type the number in the node's first byte
 * @param kind how children are listed
 * @param bits of a distance
 * @param lengthBytes of the node without its payload
 */
record NodeShape(int type, Kind kind, int bits, int lengthBytes) {
    private static final int[] SPARSE_BITS = {8, 12, 16, 24, 40}; // types 5 to 9
    private static final int[] DENSE_BITS = {12, 16, 24, 32, 40, 64}; // types 10 to 15
    private static final int FIRST_SPARSE = 5;
    private static final int FIRST_DENSE = 10;

    /** How children are listed. */
    enum Kind {
        /** One child. */
        SINGLE,
        /** Transitions, then distances. */
        SPARSE,
        /** A distance for every transition from the first to the last, 0 where there is no child. */
        DENSE
    }

    /**
     * The shortest encoding of a node.
     *
     * @param transitions to its children, ascending, at least one
     * @param farthest distance to a child
     * @param hasPayload not every encoding supports one
     */
    static NodeShape smallest(int[] transitions, long farthest, boolean hasPayload) {
        if (transitions.length == 1) {
            if (farthest < 1 << 4 && !hasPayload) {
                return new NodeShape(1, Kind.SINGLE, 4, 2);
            }
            if (farthest < 1 << 8) {
                return new NodeShape(2, Kind.SINGLE, 8, 3);
            }
            if (farthest < 1 << 12 && !hasPayload) {
                return new NodeShape(3, Kind.SINGLE, 12, 3);
            }
            if (farthest < 1 << 16) {
                return new NodeShape(4, Kind.SINGLE, 16, 4);
            }
        }
        int span = transitions[transitions.length - 1] - transitions[0] + 1;
        int dense = firstThatHolds(farthest, DENSE_BITS);
        int denseBytes = 3 + bytes(span, DENSE_BITS[dense]);
        int sparse = firstThatHolds(farthest, SPARSE_BITS);
        if (sparse < SPARSE_BITS.length) {
            int sparseBytes = 2 + transitions.length + bytes(transitions.length, SPARSE_BITS[sparse]);
            if (transitions.length < 256 && sparseBytes < denseBytes) {
                return new NodeShape(FIRST_SPARSE + sparse, Kind.SPARSE, SPARSE_BITS[sparse], sparseBytes);
            }
        }
        return new NodeShape(FIRST_DENSE + dense, Kind.DENSE, DENSE_BITS[dense], denseBytes);
    }

    /** Whether nodes of this type, from 5 on, have a distance for every transition between two. */
    static boolean isDense(int type) {
        return type >= FIRST_DENSE;
    }

    /** The bits of a distance in nodes of this type, from 5 on. */
    static int bitsOf(int type) {
        return isDense(type) ? DENSE_BITS[type - FIRST_DENSE] : SPARSE_BITS[type - FIRST_SPARSE];
    }

    private static int firstThatHolds(long number, int[] bits) {
        int i = 0;
        while (i < bits.length && bits[i] < Long.SIZE && number >>> bits[i] != 0) {
            i++;
        }
        return i;
    }

    private static int bytes(int count, int bits) {
        return (count * bits + 7) / 8;
    }

    /** Writes the node without its payload. */
    void write(int[] transitions, long[] distances, int payloadFlags, GrowingBuffer out) {
        switch (kind) {
            case SINGLE -> writeSingle(transitions[0], (int) distances[0], payloadFlags, out);
            case SPARSE -> {
                out.putByte(type << 4 | payloadFlags).putByte(transitions.length);
                for (int transition : transitions) {
                    out.putByte(transition);
                }
                writeDistances(distances, out);
            }
            case DENSE -> {
                int first = transitions[0];
                var spread = new long[transitions[transitions.length - 1] - first + 1];
                for (int i = 0; i < transitions.length; i++) {
                    spread[transitions[i] - first] = distances[i];
                }
                out.putByte(type << 4 | payloadFlags).putByte(first).putByte(spread.length - 1);
                writeDistances(spread, out);
            }
        }
    }

    private void writeSingle(int transition, int distance, int payloadFlags, GrowingBuffer out) {
        switch (bits) {
            case 4 -> out.putByte(type << 4 | distance).putByte(transition);
            case 12 -> out.putByte(type << 4 | distance >>> 8).putByte(distance).putByte(transition);
            case 8 -> out.putByte(type << 4 | payloadFlags).putByte(transition).putByte(distance);
            default -> out.putByte(type << 4 | payloadFlags).putByte(transition).putShort(distance);
        }
    }

    private void writeDistances(long[] distances, GrowingBuffer out) {
        if (bits != 12) {
            for (long distance : distances) {
                for (int shift = bits - 8; shift >= 0; shift -= 8) {
                    out.putByte((int) (distance >>> shift));
                }
            }
            return;
        }
        for (int i = 0; i < distances.length; i += 2) { // two in three bytes, high bits first
            int one = (int) distances[i];
            out.putByte(one >>> 4);
            if (i + 1 < distances.length) {
                int other = (int) distances[i + 1];
                out.putByte((one & 0xf) << 4 | other >>> 8).putByte(other);
            } else {
                out.putByte((one & 0xf) << 4);
            }
        }
    }
}
