package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentMessages.Hook;
import io.sluice.harness.agent.AgentMessages.Replicas;
import io.sluice.harness.agent.HookState;
import io.sluice.harness.report.ByteFormat;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A look at what a {@link Join} would do; changes nothing. Before there is a new node, all is checked that needs none.
 * Immutable.
 *
 * @param rateBytesPerSecond assumed for the estimate of time; at least 1
 */
record DryRun(
        JoinOrder order,
        Members members,
        Map<String, String> leftBySchema,
        long rateBytesPerSecond,
        Consumer<String> screen) {

    /** Shows refusals, who would send what, how much it is; whether nothing speaks against it. */
    boolean run() throws IOException {
        Optional<Member> target = members.named(order.target());
        List<Member> sources = members.live(order.target());
        List<String> refusals = new ArrayList<>(new Preflight(order, sources, target).refusals());
        screen.accept(target.map(Join::describe)
                .filter(state -> !state.isEmpty())
                .orElseGet(() -> target.map(joining -> "node " + joining + " waits for its data")
                        .orElse("no agent of " + order.target() + " answers")));
        Optional<Hook> holding =
                target.flatMap(joining -> joining.status().hook()).filter(hook -> hook.state() == HookState.HOLDING);
        if (holding.isEmpty() && order.dead().isEmpty()) {
            screen.accept("who sends what, and how much, is known when the new node waits: it chooses its tokens then");
        } else {
            show(Amounts.of(plans(holding, sources), sources), target, refusals);
        }
        if (!refusals.isEmpty()) {
            refusals.addAll(members.problems()); // may be why a node seems to have no agent
        }
        refusals.forEach(reason -> screen.accept("refused: " + reason));
        return refusals.isEmpty();
    }

    /** Cassandra's own, if the node waits; else that of what the dead node has. */
    private List<JoinPlan> plans(Optional<Hook> holding, List<Member> sources) throws IOException {
        Set<String> live = sources.stream().map(Member::endpoint).collect(Collectors.toCollection(TreeSet::new));
        Set<String> keyspaces = sources.get(0).status().tables().stream()
                .map(TableRef::keyspace)
                .collect(Collectors.toCollection(TreeSet::new));
        List<JoinPlan> plans = new ArrayList<>();
        for (String keyspace : keyspaces) {
            Replicas replicas = sources.get(0).agent().replicas(keyspace);
            Map<String, List<String>> planned = holding.map(hook -> hook.plan().getOrDefault(keyspace, Map.of()))
                    .orElseGet(() -> JoinPlan.ofDead(order.dead().orElse(""), replicas, live));
            if (leftBySchema.containsKey(keyspace)) {
                screen.accept("keyspace " + keyspace + " is left to Cassandra: " + leftBySchema.get(keyspace));
            } else if (!planned.isEmpty()) {
                plans.add(JoinPlan.of(keyspace, planned, replicas, live, order.from()));
            }
        }
        return plans;
    }

    private void show(Amounts amounts, Optional<Member> target, List<String> refusals) {
        show(amounts);
        target.flatMap(joining -> Room.refusal(joining, amounts.bytes())).ifPresent(refusals::add);
        screen.accept("room: " + ByteFormat.text(amounts.bytes()) + " needed at the new node, "
                + target.map(joining ->
                                ByteFormat.text(Room.freeBytes(joining.status().volumes())) + " free there")
                        .orElse("what is free there is checked when its agent answers"));
    }

    private void show(Amounts amounts) {
        Set<String> keyspaces =
                amounts.all().stream().map(Amounts.Amount::keyspace).collect(Collectors.toCollection(TreeSet::new));
        for (String keyspace : keyspaces) {
            List<Amounts.Amount> ofKeyspace = amounts.all().stream()
                    .filter(amount -> amount.keyspace().equals(keyspace))
                    .toList();
            ofKeyspace.forEach(amount -> screen.accept("plan: " + amount.source() + " sends " + amount.ranges()
                    + " ranges of keyspace " + keyspace + ", " + amount.tables().size() + " tables, "
                    + ByteFormat.text(amount.bytes())));
            screen.accept("keyspace " + keyspace + ": " + ByteFormat.text(amounts.bytes(keyspace)) + " from "
                    + ofKeyspace.size() + " nodes");
        }
        screen.accept("in all " + ByteFormat.text(amounts.bytes()) + ", about " + seconds(amounts.bytes()) + " s at "
                + ByteFormat.text(rateBytesPerSecond)
                + "/s (assumed; --rate assumes another), and the time of digests");
    }

    private long seconds(long bytes) {
        return bytes / rateBytesPerSecond + (bytes % rateBytesPerSecond == 0 ? 0 : 1);
    }
}
