package io.sluice.harness.replace;

import io.sluice.streaming.plan.Operation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What an operator wants. Immutable.
 *
 * @param operation REPLACE, BOOTSTRAP or REBUILD
 * @param dead address of the node that is replaced; empty if none is
 * @param target address of the node that joins, or rebuilds
 * @param from who sends a range
 * @param timeout how long is waited for the node to ask for data, for all others to know of it, and for it to have
 *     joined
 * @param throttle of what the node receives, in bytes per second, 0 for no limit; empty to leave it as it is
 * @param datacenter of the nodes that may send; empty for all
 */
public record JoinOrder(
        Operation operation,
        Optional<String> dead,
        String target,
        From from,
        Duration timeout,
        Optional<Long> throttle,
        Optional<String> datacenter) {
    /** Nodes of all datacenters may send. */
    public JoinOrder(
            Operation operation,
            Optional<String> dead,
            String target,
            From from,
            Duration timeout,
            Optional<Long> throttle) {
        this(operation, dead, target, from, timeout, throttle, Optional.empty());
    }

    /** The nodes among {@code live} that may send. */
    List<Member> senders(List<Member> live) {
        return live.stream()
                .filter(member -> datacenter.isEmpty()
                        || datacenter.get().equals(member.status().datacenter()))
                .toList();
    }

    /** Who sends a range. */
    public enum From {
        /** The one replica that Cassandra has chosen. */
        ONE,
        /** Every live replica: a write that one of them has missed is not missed. */
        ALL_REPLICAS,
        /** The same rows from fewer: of replicas whose digests of a range agree, one. */
        NEEDED
    }
}
