package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentClient;
import io.sluice.harness.agent.AgentMessages;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** The end of a join, wanted or not: what is left of it is removed. Not thread-safe. */
final class JoinEnd {
    private static final String REMOVED = "snapshots, and what was received and not imported, are removed";
    private static final String MARKED_KEYSPACES = "SELECT keyspace_name FROM system.available_ranges_v2;";
    private static final String DELETE_MARKS =
            "DELETE FROM system.available_ranges_v2 WHERE keyspace_name = 'KEYSPACE';";

    private final JoinOrder order;
    private final Members members;
    private final Receiving receiving;
    private final JoinProgress progress;

    JoinEnd(JoinOrder order, Members members, Receiving receiving, JoinProgress progress) {
        this.order = order;
        this.members = members;
        this.receiving = receiving;
        this.progress = progress;
    }

    /**
     * What was not brought, and why.
     *
     * @param left keyspaces, to Cassandra
     * @param missing keyspaces, of which nobody can send some ranges
     */
    record NotBrought(Map<String, String> left, Map<String, String> missing) {}

    /** Removes what is left of a join, and says what it was. */
    JoinReport finish(
            Member target, List<JoinReport.Transfer> transfers, NotBrought not, LateTruncations.Truncations truncated)
            throws IOException {
        Member now = target.now();
        UUID operation = receiving.operation(now);
        JoinReport report = new JoinReport(
                operation,
                order.from(),
                withEarlier(transfers, target.agent().arrivals(operation).landed()),
                not.left(),
                not.missing(),
                truncated.found(),
                truncated.unknown(),
                receiving.streamedBytes(now),
                receiving.took(now));
        clearUp(target, operation);
        return report;
    }

    /** Those of this run, and those of earlier runs, whose keyspaces were marked before this one. */
    private static List<JoinReport.Transfer> withEarlier(
            List<JoinReport.Transfer> transfers, List<AgentMessages.Landed> landed) {
        List<JoinReport.Transfer> all = new ArrayList<>(transfers);
        landed.forEach(table -> table.imported()
                .map(proof -> JoinReport.Transfer.of(table.table(), proof))
                .filter(other -> all.stream().noneMatch(other::isOfTheSame))
                .ifPresent(all::add));
        return all;
    }

    private void clearUp(Member target, UUID operation) throws IOException {
        try {
            target.agent().discard(UUID.randomUUID(), Optional.empty()); // what attempts that failed have received
        } catch (IOException e) {
            progress.say("the node has its data, and what was received and not imported stays at " + target + ": "
                    + e.getMessage() + " (run the command again)");
        }
        try {
            receiving.clearMarks(target);
        } catch (IOException e) { // what was discarded proves what this join has verified: its report must not be lost
            progress.say("the node has its data, and marks of its ranges stay at " + target + ", which a later nodetool"
                    + " rebuild would skip: " + e.getMessage() + " (run the command again)");
        }
        // All, not the sources of this run: an earlier one may have pinned at a node that is not alive now.
        List<String> kept = end(members.others(target), operation);
        if (kept.isEmpty()) {
            receiving.over(target, operation);
        } else {
            progress.say("the node has its data, and snapshots stay at " + String.join("; ", kept)
                    + " (run the command again, without --agent for what is gone for good, or clear them by nodetool"
                    + " clearsnapshot -t sluice-" + operation + "-TABLE)");
        }
    }

    /** Clears the snapshots of all that answer. Returns those that did not, with the reason. */
    private static List<String> end(List<AgentClient> sources, UUID operation) {
        List<String> kept = new ArrayList<>();
        for (AgentClient source : sources) {
            try {
                source.end(operation);
            } catch (IOException e) {
                kept.add(source + ": " + e.getMessage());
            }
        }
        return kept;
    }

    /**
     * Aborts: a node that waits goes on at once, and Cassandra fetches all that is not marked. Then snapshots are
     * cleared, and what has landed and was not imported. A node that has joined and was restarted knows its operation
     * no more: then the other agents are asked for what they keep for it.
     *
     * @throws IOException if nothing has begun, the node does not go on, or something cannot be cleared; may be
     *     repeated
     */
    void abort(String reason) throws IOException {
        Member target = named();
        if (receiving.hasForgotten(target)) {
            abortForgotten(target);
            return;
        }
        if (receiving.goneOn(target).isPresent()) {
            requireNoRebuild(target);
        }
        UUID operation = receiving.operation(target);
        receiving.abort(target, reason);
        List<String> kept = end(members.others(target), operation);
        discard(target, kept);
        requireNothing(kept);
        receiving.over(target, operation);
        progress.say(REMOVED);
    }

    /** Else its snapshots and what it has received would be removed. */
    private static void requireNoRebuild(Member target) throws IOException {
        if (target.status().rebuild().isPresent()) {
            throw new IOException("the rebuild of node " + target + " has begun and is not over (expected: none; sluice"
                    + " cassandra rebuild --node with --abort ends it)");
        }
    }

    private void abortForgotten(Member target) throws IOException {
        requireNoRebuild(target);
        progress.say("node " + target + " is NORMAL, and knows of no operation since it started: what earlier ones have"
                + " left is removed");
        List<String> kept = endKeptFor(target);
        discard(target, kept);
        if (target.status().hook().isPresent()) {
            clearMarks(target, kept);
        } else {
            progress.say("node " + target + " has no hook that clears marks: ask it by cqlsh " + MARKED_KEYSPACES
                    + " and for each keyspace that it names, which a later nodetool rebuild would skip, "
                    + DELETE_MARKS);
        }
        requireNothing(kept);
        progress.say(REMOVED);
    }

    /** Ends whatever operations other agents keep for this one. Returns who did not, with the reason. */
    private List<String> endKeptFor(Member target) {
        UUID id = target.status().agent().id();
        List<String> kept = new ArrayList<>();
        for (AgentClient other : members.others(target)) {
            try {
                Optional<AgentMessages.Pins> pins =
                        other.status().pins().filter(its -> its.target().equals(id));
                if (pins.isPresent()) {
                    other.end(pins.get().operation());
                    progress.say("snapshots of operation " + pins.get().operation() + " are removed at " + other);
                }
            } catch (IOException e) {
                kept.add(other + ": " + e.getMessage());
            }
        }
        return kept;
    }

    private static void discard(Member target, List<String> kept) {
        try {
            target.agent().discard(UUID.randomUUID(), Optional.empty());
        } catch (IOException e) {
            kept.add(target + ": " + e.getMessage());
        }
    }

    private void clearMarks(Member target, List<String> kept) {
        try {
            receiving.clearMarks(target);
        } catch (IOException e) {
            kept.add(target + ": its marks, " + e.getMessage());
        }
    }

    private static void requireNothing(List<String> kept) throws IOException {
        if (!kept.isEmpty()) {
            throw new IOException("snapshots, or what was received and not imported, stay at " + String.join("; ", kept)
                    + " (expected: all agents answer; run --abort again when they do)");
        }
    }

    private Member named() throws IOException {
        return members.named(order.target())
                .orElseThrow(() -> new IOException("no agent of " + order.target() + " answers" + members.whySilent()));
    }
}
