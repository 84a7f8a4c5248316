package io.sluice.harness.config;

import io.sluice.netty.options.ValueType;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A fault to inject during streaming. Immutable.
 *
 * @param fault its kind
 * @param at when: the share of the bytes of the transfer received by then, 0 to 1; 0 is before streaming
 * @param node affected node: {@code source}, {@code receiver}, or the name of a node
 * @param with cut: the other end; empty for the first of those that stream with {@code node}
 * @param lasts freeze, cut, slow, slow disk and lost disk: duration in seconds; empty for until the operation ends
 * @param rate slow: how fast the node may still send; slow disk: how fast it still writes; in bytes per second
 */
public record Fault(
        Kind fault, double at, String node, Optional<String> with, Optional<Integer> lasts, Optional<Long> rate) {
    /** The source that sends, or has most left to send. */
    public static final String SOURCE = "source";

    /** The node that fetches. */
    public static final String RECEIVER = "receiver";

    /** What can go wrong. */
    public enum Kind {
        /** The process is killed, SIGKILL. */
        KILL,
        /** The process is stopped by SIGSTOP, and continued by SIGCONT. */
        FREEZE,
        /** One bit of each of its Data.db files flips. */
        CORRUPT,
        /** The disk is full. */
        DISK_FULL,
        /** The disk of its last data directory, of several, is lost: it cannot be read or written. */
        DISK_LOST,
        /** Nothing is transferred between two nodes, and neither is notified. */
        CUT,
        /** It sends slowly. */
        SLOW,
        /** Its disk writes streamed data slowly. */
        SLOW_DISK,
        /** The process is asked to stop by SIGTERM, and stops. */
        TERMINATE
    }

    static final List<Setting> SETTINGS = List.of(
            Setting.optional("fault", ValueTypes.oneOf(Kind.values())),
            Setting.of("at", ValueTypes.SHARE, "0%", ""),
            Setting.of("node", ValueTypes.NODE_OF_FAULT, SOURCE, ""),
            Setting.optional("with", ValueTypes.NODE_OF_FAULT),
            Setting.optional("lasts", ValueTypes.seconds("1s", "1h")),
            Setting.optional("rate", ValueType.RATE));

    /** The nodes that it names, each as {@code node2}. */
    public List<String> names() {
        return Stream.concat(Stream.of(node), with.stream())
                .filter(name -> !name.equals(SOURCE) && !name.equals(RECEIVER))
                .toList();
    }

    /** Human-readable description: {@code cut receiver at 40 % for 3 s}. */
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
