package io.sluice.streaming.planner.balance;

import java.util.Arrays;

/**
 * Pieces, each to be sent by one of its candidates, and the rates of the candidates. A candidate of a piece is an
 * <em>option</em>; the options of a piece have consecutive numbers. Immutable.
 */
public final class BalanceProblem {
    private final Sources sources;
    private final int[] firstOption;
    private final int[] source;
    private final long[] bytes;
    private final byte[] distance;

    private BalanceProblem(Builder builder) {
        this.sources = builder.sources;
        this.firstOption = Arrays.copyOf(builder.firstOption, builder.pieces + 1);
        this.source = Arrays.copyOf(builder.source, builder.options);
        this.bytes = Arrays.copyOf(builder.bytes, builder.options);
        this.distance = Arrays.copyOf(builder.distance, builder.options);
    }

    /** The sources. */
    public Sources sources() {
        return sources;
    }

    /** The number of pieces. */
    public int pieces() {
        return firstOption.length - 1;
    }

    /** The number of options of all pieces. */
    public int options() {
        return source.length;
    }

    /** The number of a piece's first option; its options end before {@code firstOption(piece + 1)}. */
    public int firstOption(int piece) {
        return firstOption[piece];
    }

    /** The source of an option. */
    public int source(int option) {
        return source[option];
    }

    /** The bytes of an option: replicas of the same data may differ in length. */
    public long bytes(int option) {
        return bytes[option];
    }

    /** The distance of an option: 0 within a rack, 1 within a data centre, 2 beyond. */
    public int distance(int option) {
        return distance[option];
    }

    /** The bytes that an option sends between data centres. */
    public long farBytes(int option) {
        return distance[option] >= 2 ? bytes[option] : 0;
    }

    /** The minimum bytes of all options of a piece. */
    public long leastBytes(int piece) {
        long least = Long.MAX_VALUE;
        for (int option = firstOption[piece]; option < firstOption[piece + 1]; option++) {
            least = Math.min(least, bytes[option]);
        }
        return least;
    }

    /** The minimum bytes of all pieces together. */
    public long totalBytes() {
        long total = 0;
        for (int piece = 0; piece < pieces(); piece++) {
            total += leastBytes(piece);
        }
        return total;
    }

    /** The maximum bytes of all options; 0 if there are none. */
    long mostBytes() {
        long most = 0;
        for (long each : bytes) {
            most = Math.max(most, each);
        }
        return most;
    }

    /** Collects pieces one after the other. Not thread-safe. */
    public static final class Builder {
        private final Sources sources;
        private int pieces;
        private int options;
        private int[] firstOption;
        private int[] source;
        private long[] bytes;
        private byte[] distance;

        /** A builder with room for so many pieces and options, which grows if there are more. */
        public Builder(Sources sources, int pieces, int options) {
            this.sources = sources;
            this.firstOption = new int[pieces + 1];
            this.source = new int[Math.max(1, options)];
            this.bytes = new long[source.length];
            this.distance = new byte[source.length];
        }

        /**
         * Adds a candidate to the current piece.
         *
         * @param length in bytes; not negative
         */
        public Builder option(int from, long length, int howFar) {
            if (length < 0) {
                throw new IllegalArgumentException(
                        "piece " + pieces + ": a length of " + length + " (expected: 0 or more bytes)");
            }
            if (options == source.length) {
                int capacity = Math.multiplyExact(options, 2);
                source = Arrays.copyOf(source, capacity);
                bytes = Arrays.copyOf(bytes, capacity);
                distance = Arrays.copyOf(distance, capacity);
            }
            source[options] = from;
            bytes[options] = length;
            distance[options++] = (byte) howFar;
            return this;
        }

        /** Ends the current piece, which must have a candidate. */
        public Builder endPiece() {
            if (firstOption[pieces] == options) {
                throw new IllegalStateException("piece " + pieces + ": no candidate");
            }
            if (++pieces == firstOption.length) {
                firstOption = Arrays.copyOf(firstOption, Math.multiplyExact(pieces, 2));
            }
            firstOption[pieces] = options;
            return this;
        }

        /** The problem of all ended pieces. */
        public BalanceProblem build() {
            return new BalanceProblem(this);
        }
    }
}
