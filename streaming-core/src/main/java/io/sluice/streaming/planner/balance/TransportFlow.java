package io.sluice.streaming.planner.balance;

import java.util.Arrays;

/**
 * The maximum flow of bytes from pieces to the sources that may send them, by augmenting paths (the Ford-Fulkerson
 * method), chosen by Dinic's algorithm: breadth-first search finds the distances to free capacity, then depth-first
 * search uses shortest paths only, until there are none.
 *
 * <p>The network has four layers (origin, pieces, sources, sink), so only the middle is stored: an option is an arc of
 * infinite capacity with its flow. A flow stays valid when capacities increase; {@link #maximise()} then continues from
 * it. Not thread-safe: confined to one search.
 *
 * @see "E. A. Dinic, Algorithm for solution of a problem of maximum flow in a network with power estimation, Soviet
 *     Mathematics Doklady 11 (1970), 1277-1280"
 */
final class TransportFlow {
    private static final int UNSEEN = -1;

    private final BalanceProblem problem;
    private final int[] pieceOf;
    /** The options of each source: those that it may send or release. */
    private final int[] firstOfSource;

    private final int[] optionsOfSource;

    private final long[] flow;
    private final long[] unsent;
    private final long[] spare;
    private long totalUnsent;

    private final int[] levelOfPiece;
    private final int[] levelOfSource;
    private final int[] queue;
    private final int[] nextOption;
    private final int[] nextOfSource;
    /** A path: options that gain flow; between them options of other pieces lose as much. */
    private final int[] gaining;

    private final int[] losing;

    TransportFlow(BalanceProblem problem) {
        int pieces = problem.pieces();
        int sources = problem.sources().count();
        this.problem = problem;
        this.pieceOf = new int[problem.options()];
        this.firstOfSource = new int[sources + 1];
        this.optionsOfSource = new int[problem.options()];
        this.flow = new long[problem.options()];
        this.unsent = new long[pieces];
        this.spare = new long[sources];
        this.levelOfPiece = new int[pieces];
        this.levelOfSource = new int[sources];
        this.queue = new int[sources];
        this.nextOption = new int[pieces];
        this.nextOfSource = new int[sources];
        this.gaining = new int[sources + 1];
        this.losing = new int[sources + 1];
        index();
    }

    private void index() {
        for (int piece = 0; piece < problem.pieces(); piece++) {
            unsent[piece] = problem.leastBytes(piece);
            totalUnsent += unsent[piece];
            for (int option = problem.firstOption(piece); option < problem.firstOption(piece + 1); option++) {
                pieceOf[option] = piece;
                firstOfSource[problem.source(option) + 1]++;
            }
        }
        for (int source = 0; source < spare.length; source++) {
            firstOfSource[source + 1] += firstOfSource[source];
        }
        int[] at = firstOfSource.clone();
        for (int option = 0; option < problem.options(); option++) {
            optionsOfSource[at[problem.source(option)]++] = option;
        }
    }

    /** Raises the capacity of a source by {@code bytes}. */
    void raise(int source, long bytes) {
        spare[source] += bytes;
    }

    /** Adds as much of the unsent bytes of a piece as the source of {@code option} has capacity for. */
    void pour(int option) {
        push(option, Math.min(unsent[pieceOf[option]], spare[problem.source(option)]));
    }

    private void push(int option, long bytes) {
        flow[option] += bytes;
        unsent[pieceOf[option]] -= bytes;
        spare[problem.source(option)] -= bytes;
        totalUnsent -= bytes;
    }

    /** Makes the flow maximal; returns the bytes without capacity. */
    long maximise() {
        while (totalUnsent > 0) {
            int end = findLevels();
            if (end == UNSEEN) {
                break;
            }
            block(end);
        }
        return totalUnsent;
    }

    /** The level of the nearest sources with spare capacity, or {@link #UNSEEN}; numbers all levels up to there. */
    private int findLevels() {
        Arrays.fill(levelOfPiece, UNSEEN);
        Arrays.fill(levelOfSource, UNSEEN);
        int tail = 0;
        for (int piece = 0; piece < unsent.length; piece++) {
            if (unsent[piece] > 0) {
                levelOfPiece[piece] = 0;
                tail = reach(piece, tail);
            }
        }
        int end = UNSEEN;
        for (int head = 0; head < tail; head++) {
            int source = queue[head];
            int level = levelOfSource[source];
            if (end != UNSEEN && level >= end) {
                break;
            }
            if (spare[source] > 0) {
                end = level;
                continue;
            }
            for (int i = firstOfSource[source]; i < firstOfSource[source + 1]; i++) {
                int option = optionsOfSource[i];
                int piece = pieceOf[option];
                if (flow[option] > 0 && levelOfPiece[piece] == UNSEEN) {
                    levelOfPiece[piece] = level + 1;
                    tail = reach(piece, tail);
                }
            }
        }
        return end;
    }

    private int reach(int piece, int tail) {
        int to = tail;
        for (int option = problem.firstOption(piece); option < problem.firstOption(piece + 1); option++) {
            int source = problem.source(option);
            if (levelOfSource[source] == UNSEEN) {
                levelOfSource[source] = levelOfPiece[piece] + 1;
                queue[to++] = source;
            }
        }
        return to;
    }

    /** Adds flow along paths of ascending level until there is none. */
    private void block(int end) {
        for (int piece = 0; piece < unsent.length; piece++) {
            nextOption[piece] = problem.firstOption(piece);
        }
        System.arraycopy(firstOfSource, 0, nextOfSource, 0, nextOfSource.length);
        for (int piece = 0; piece < unsent.length; piece++) {
            while (unsent[piece] > 0) {
                int length = findWay(piece, end);
                if (length == 0) {
                    break;
                }
                sendAlong(piece, length);
            }
        }
    }

    /** The number of options in {@link #gaining} from a piece to spare capacity; 0 if there is no path. */
    private int findWay(int from, int end) {
        int depth = 0;
        int piece = from;
        while (true) {
            int option = nextOption[piece];
            if (option == problem.firstOption(piece + 1)) {
                if (depth == 0) {
                    return 0;
                }
                depth--;
                nextOfSource[problem.source(gaining[depth])]++;
                piece = pieceOf[gaining[depth]];
                continue;
            }
            int source = problem.source(option);
            if (levelOfSource[source] != levelOfPiece[piece] + 1) {
                nextOption[piece]++;
                continue;
            }
            gaining[depth] = option;
            if (levelOfSource[source] == end) {
                if (spare[source] > 0) {
                    return depth + 1;
                }
                nextOption[piece]++;
                continue;
            }
            int back = nextBack(source);
            if (back == UNSEEN) {
                nextOption[piece]++;
                continue;
            }
            losing[depth++] = back;
            piece = pieceOf[back];
        }
    }

    /** The next option of a full source whose flow could be moved. */
    private int nextBack(int source) {
        for (; nextOfSource[source] < firstOfSource[source + 1]; nextOfSource[source]++) {
            int option = optionsOfSource[nextOfSource[source]];
            if (flow[option] > 0 && levelOfPiece[pieceOf[option]] == levelOfSource[source] + 1) {
                return option;
            }
        }
        return UNSEEN;
    }

    private void sendAlong(int piece, int length) {
        int lastSource = problem.source(gaining[length - 1]);
        long bytes = Math.min(unsent[piece], spare[lastSource]);
        for (int i = 0; i < length - 1; i++) {
            bytes = Math.min(bytes, flow[losing[i]]);
        }
        for (int i = 0; i < length; i++) {
            flow[gaining[i]] += bytes;
        }
        for (int i = 0; i < length - 1; i++) {
            flow[losing[i]] -= bytes;
        }
        unsent[piece] -= bytes;
        spare[lastSource] -= bytes;
        totalUnsent -= bytes;
    }

    long flow(int option) {
        return flow[option];
    }

    /** After a flow that left bytes unsent: whether a source belongs to the bottleneck. */
    boolean isBottleneck(int source) {
        return levelOfSource[source] != UNSEEN;
    }

    /** After a flow that left bytes unsent: the bytes that only sources of the bottleneck have. */
    long bottleneckBytes() {
        long bytes = 0;
        for (int piece = 0; piece < levelOfPiece.length; piece++) {
            if (levelOfPiece[piece] != UNSEEN) {
                bytes += problem.leastBytes(piece);
            }
        }
        return bytes;
    }
}
