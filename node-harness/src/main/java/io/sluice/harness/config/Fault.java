package io.sluice.harness.config;

import io.sluice.netty.options.ValueType;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Something that is made to go wrong while data is streamed. Immutable.
 *
 * @param fault what
 * @param at when: the share of the bytes of the transfer that have arrived by then, 0 to 1; 0 is before streaming
 * @param node whom it hits: {@code source}, {@code receiver}, or the name of a node
 * @param with cut: the other end; empty for whoever streams with {@code node}
 * @param lasts freeze, cut, slow and slow disk: after how many seconds it is over; empty for until the operation has
 *     ended
 * @param rate slow: what the node may still send; slow disk: what it still writes; in bytes per second
 */
public record Fault(
        Kind fault, double at, String node, Optional<String> with, Optional<Integer> lasts, Optional<Long> rate) {
    /** The node that sends, or has most left to send. */
    public static final String SOURCE = "source";

    /** The node that fetches. */
    public static final String RECEIVER = "receiver";

    /** What can go wrong. */
    public enum Kind {
        /** The process is killed, SIGKILL. */
        KILL,
        /** The process is stopped, SIGSTOP; it goes on by SIGCONT. */
        FREEZE,
        /** One bit of each of its Data.db files flips. */
        CORRUPT,
        /** Its disk has no room left. */
        DISK_FULL,
        /** Nothing gets through between two nodes, and nobody is notified. */
        CUT,
        /** It sends slowly. */
        SLOW,
        /** Its disk writes slowly what is streamed to it. */
        SLOW_DISK,
        /** The process is asked to end, SIGTERM, and does. */
        TERMINATE
    }

    static final List<Setting> SETTINGS = List.of(
            Setting.optional("fault", ValueTypes.oneOf(Kind.values())),
            Setting.of("at", ValueTypes.SHARE, "0%", ""),
            Setting.of("node", ValueType.TEXT, SOURCE, ""),
            Setting.optional("with", ValueType.TEXT),
            Setting.optional("lasts", ValueTypes.seconds("1s", "1h")),
            Setting.optional("rate", ValueType.RATE));

    /** All of it, human-readable: {@code cut receiver at 40 % for 3 s}. */
    public String describe() {
        return this + " at " + Math.round(100 * at) + " %"
                + lasts.map(seconds -> " for " + seconds + " s").orElse("");
    }

    @Override
    public String toString() {
        String what = fault.name().toLowerCase(Locale.ROOT).replace('_', '-') + " " + node;
        return with.map(other -> what + " from " + other).orElse(what);
    }
}
