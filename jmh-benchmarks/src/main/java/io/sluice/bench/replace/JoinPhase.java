package io.sluice.bench.replace;

import java.util.Optional;

/** Where a node of Cassandra is that joins in the place of a dead one, as its log has it. Immutable. */
enum JoinPhase {
    /** It has announced itself, and waits until all know it: {@code ring_delay} long. */
    WAITS_FOR_RING("for pending range setup"),
    /** It computes what to ask from whom, and asks. */
    ASKS("Starting to bootstrap"),
    HAS_ALL("All sessions completed"),
    NORMAL("state jump to NORMAL"),
    /** It stays where it is. */
    FAILED("Error while waiting on bootstrap to complete");

    private final String words;

    JoinPhase(String words) {
        this.words = words;
    }

    /**
     * What a line of the node's log says of it.
     *
     * @param host its address: other nodes' states are in its log, too
     */
    static Optional<JoinPhase> in(String line, String host) {
        for (JoinPhase phase : values()) {
            if (line.contains(phase.words)) {
                return phase == NORMAL && !isAbout(line, host) ? Optional.empty() : Optional.of(phase);
            }
        }
        return Optional.empty();
    }

    /** {@code /127.0.0.1} is the beginning of {@code /127.0.0.10}, too. */
    private static boolean isAbout(String line, String host) {
        int at = line.indexOf("/" + host);
        int end = at + host.length() + 1;
        return at >= 0 && (end == line.length() || !Character.isDigit(line.charAt(end)));
    }
}
