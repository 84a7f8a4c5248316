package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentMessages;
import io.sluice.harness.agent.AgentMessages.Hook;
import io.sluice.harness.agent.AgentMessages.Replicas;
import io.sluice.harness.agent.HookState;
import io.sluice.harness.agent.OperationMode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A node that joins, and waits in its hook before it asks for data. Immutable. */
record JoiningNode(JoinOrder order, Members members, JoinProgress progress) implements Receiving {
    private static final long POLL_MILLIS = 500;

    @Override
    public String describe(Member target) {
        return missing(target).orElse("node " + target + " waits for its data");
    }

    @Override
    public Member await(Meanwhile meanwhile) throws IOException, InterruptedException {
        return new TargetWait(order, members, progress, "the new node", "a node that joins, with the hook")
                .await(
                        target -> goneOn(target).isPresent() ? Optional.empty() : missing(target),
                        target -> Optional.of(target)
                                .filter(Preflight::hasJoined)
                                .map(joined -> Preflight.joined(joined, members.allBut(joined.endpoint()))),
                        meanwhile);
    }

    /** What is still to come before it waits; empty if it does. */
    private static Optional<String> missing(Member target) {
        Optional<Hook> hook = target.status().hook();
        if (hook.isEmpty()) {
            return Optional.of("node " + target + " has no hook (start it with -javaagent:sluice-cassandra-hook.jar)");
        }
        return switch (hook.get().state()) {
            case HOLDING -> Optional.empty();
            case IDLE -> Optional.of("node " + target + " has not asked for data yet");
            case LET_GO ->
                Optional.of("node " + target + " has gone on by itself: "
                        + hook.get().reason());
        };
    }

    @Override
    public Optional<Hook> goneOn(Member target) {
        return target.status().hook().filter(hook -> hook.state() == HookState.LET_GO);
    }

    private static Hook hook(Member target) throws IOException {
        return target.status().hook().orElseThrow(() -> new IOException("node " + target + " has no hook any more"));
    }

    @Override
    public Job begin(Member target, List<Member> sources, Map<String, String> left) throws IOException {
        Hook hook = hook(target);
        return new Job(UUID.fromString(hook.holdId()), hook.plan(), hook.marked());
    }

    /**
     * None unless a node is replaced: where one more joins, the owner of a range before it is alive. What the node's
     * own plan has was there when it asked, and is brought or left by now, whoever has died since.
     */
    @Override
    public Map<String, String> missing(Optional<Member> target, List<Member> sources) throws IOException {
        if (order.dead().isEmpty()) {
            return Map.of();
        }
        List<Member> asked = Stream.concat(sources.stream(), target.stream()).toList();
        Set<String> live = live(asked);
        Map<String, Map<String, List<String>>> planned =
                target.flatMap(node -> node.status().hook()).map(Hook::plan).orElse(Map.of());
        Map<String, String> missing = new TreeMap<>();
        for (String keyspace : RebuiltNode.keyspaces(asked.get(0))) {
            Replicas replicas = asked.get(0).agent().replicas(keyspace);
            List<String> ranges = new ArrayList<>(JoinPlan.alone(order.dead().get(), replicas, live::contains));
            ranges.addAll(JoinPlan.alone(order.target(), replicas, live::contains)); // when it has taken its place
            ranges.removeAll(JoinPlan.covered(planned.getOrDefault(keyspace, Map.of()), ranges));
            if (!ranges.isEmpty()) {
                missing.put(
                        keyspace,
                        ranges.size() + " of its ranges have no live replica, as " + ranges.get(0)
                                + ": what the dead node alone had is lost, unless a backup has it");
            }
        }
        return missing;
    }

    /** Members, and all that they call alive: a node without an agent that answers may live all the same. */
    static Set<String> live(List<Member> asked) {
        return asked.stream()
                .flatMap(member -> Stream.concat(Stream.of(member.endpoint()), member.status().live().stream()))
                .collect(Collectors.toSet());
    }

    @Override
    public Map<String, List<String>> writtenTo(Replicas replicas) {
        return replicas.pending();
    }

    @Override
    public String brought() {
        return "marked";
    }

    @Override
    public String left() {
        return "is left to Cassandra";
    }

    @Override
    public void complete(Member target, Job job) throws IOException, InterruptedException {
        target.agent().letGo(new AgentMessages.LetGo(job.operation().toString(), Optional.empty()));
        progress.say("the node goes on; waiting for it to have joined");
        awaitJoined(target);
    }

    /** Waits until a node that has gone on has joined. */
    void awaitJoined(Member target) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + order.timeout().toNanos();
        progress.waitsFor(target + " to join, streaming by itself what is not marked");
        Optional<OperationMode> mode = mode(target);
        while (!mode.equals(Optional.of(OperationMode.NORMAL))) {
            if (System.nanoTime() > deadline) {
                throw new IOException(
                        "node " + target + " is " + mode.map(Enum::name).orElse("not answering") + " "
                                + order.timeout().toSeconds()
                                + " s after it went on (expected: NORMAL; its log says what it waits for). Snapshots and marks"
                                + " stay: run again when it has joined");
            }
            Thread.sleep(POLL_MILLIS);
            mode = mode(target);
        }
        progress.say("node " + target + " is NORMAL");
    }

    private static Optional<OperationMode> mode(Member target) {
        return target.ifAnswering()
                .filter(member -> member.isNamed(target.endpoint()))
                .map(member -> member.status().mode());
    }

    @Override
    public UUID operation(Member target) throws IOException {
        String hold = hook(target).holdId();
        if (hold.isEmpty()) {
            throw new IOException("node " + target + " has not asked for data yet: there is nothing to abort");
        }
        return UUID.fromString(hold);
    }

    @Override
    public Duration took(Member target) throws IOException {
        return Duration.ofMillis(hook(target).heldMillis());
    }

    @Override
    public Optional<Long> streamedBytes(Member target) throws IOException {
        return Optional.of(target.agent().streamedBytes());
    }

    @Override
    public boolean hasForgotten(Member target) {
        return Preflight.hasJoined(target);
    }

    /** Lets a node that waits go on at once: Cassandra fetches all that is not marked. */
    @Override
    public void abort(Member target, String reason) throws IOException {
        Optional<Hook> before = goneOn(target);
        if (before.isEmpty()) {
            letGo(target, reason);
        }
        progress.say(before.map(hook -> "node " + target + " had gone on already: " + hook.reason())
                .orElse("node " + target + " goes on, and fetches by itself what is not marked"));
    }

    private void letGo(Member target, String reason) throws IOException {
        try {
            target.agent().letGo(new AgentMessages.LetGo(hook(target).holdId(), Optional.of(reason)));
        } catch (IOException refused) {
            if (members.named(order.target()).flatMap(this::goneOn).isEmpty()) {
                throw refused; // else it went on in between, and has what was wanted
            }
        }
    }

    @Override
    public void clearMarks(Member target) throws IOException {
        target.agent().clearMarks();
    }

    @Override
    public void over(Member target, UUID operation) {
        // The hook shows its latest hold as long as its process runs.
    }
}
