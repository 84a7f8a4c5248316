package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentClient;
import io.sluice.harness.agent.AgentMessages;
import io.sluice.harness.agent.AgentMessages.Hook;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** The end of a join, wanted or not: what is left of it is removed. Not thread-safe. */
final class JoinEnd {
    private final JoinOrder order;
    private final Members members;
    private final JoinProgress progress;

    JoinEnd(JoinOrder order, Members members, JoinProgress progress) {
        this.order = order;
        this.members = members;
        this.progress = progress;
    }

    /** Removes what is left of a join, and says what it was. */
    JoinReport finish(
            Member target, List<Member> sources, List<JoinReport.Transfer> transfers, Map<String, String> left)
            throws IOException {
        Hook hook = Join.hook(target.now());
        UUID operation = UUID.fromString(hook.holdId());
        JoinReport report = new JoinReport(
                operation,
                order.from(),
                withEarlier(transfers, target.agent().arrivals(operation).landed()),
                left,
                target.agent().streamedBytes(),
                Duration.ofMillis(hook.heldMillis()));
        clearUp(target, sources, operation);
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

    private void clearUp(Member target, List<Member> sources, UUID operation) throws IOException {
        try {
            target.agent().discard(UUID.randomUUID(), Optional.empty()); // what attempts that failed have received
        } catch (IOException e) {
            progress.say("the node has joined, and what was received and not imported stays at " + target + ": "
                    + e.getMessage() + " (run the command again)");
        }
        target.agent().clearMarks();
        List<String> kept = end(sources.stream().map(Member::agent).toList(), operation);
        if (!kept.isEmpty()) {
            progress.say("the node has joined, and snapshots stay at " + String.join("; ", kept) + " (clear them by"
                    + " nodetool clearsnapshot -t sluice-" + operation + "-TABLE, or by --abort)");
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
     * Lets a node that waits go on at once: Cassandra fetches all that is not marked. Then, and if it has gone on
     * already, snapshots are cleared, and what has landed and was not imported.
     *
     * @throws IOException if the node has not asked for data, does not go on, or something cannot be cleared; may be
     *     repeated
     */
    void abort(String reason) throws IOException {
        Member target = named();
        Hook hook = Join.hook(target);
        if (hook.holdId().isEmpty()) {
            throw new IOException("node " + target + " has not asked for data yet: there is nothing to abort");
        }
        if (!Join.hasGoneOn(hook)) {
            letGo(target, hook, reason);
        }
        progress.say(
                Join.hasGoneOn(hook)
                        ? "node " + target + " had gone on already: " + hook.reason()
                        : "node " + target + " goes on, and fetches by itself what is not marked");
        List<String> kept = end(members.others(target), UUID.fromString(hook.holdId()));
        try {
            target.agent().discard(UUID.randomUUID(), Optional.empty());
        } catch (IOException e) {
            kept.add(target + ": " + e.getMessage());
        }
        if (!kept.isEmpty()) {
            throw new IOException("snapshots, or what was received and not imported, stay at " + String.join("; ", kept)
                    + " (expected: all agents answer; run --abort again when they do)");
        }
        progress.say("snapshots, and what was received and not imported, are removed");
    }

    private Member named() throws IOException {
        return members.named(order.target())
                .orElseThrow(() -> new IOException("no agent of " + order.target() + " answers"));
    }

    private void letGo(Member target, Hook hook, String reason) throws IOException {
        try {
            target.agent().letGo(new AgentMessages.LetGo(hook.holdId(), Optional.of(reason)));
        } catch (IOException refused) {
            if (!Join.hasGoneOn(Join.hook(named()))) { // else it went on in between, and has what was wanted
                throw refused;
            }
        }
    }
}
