package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentMessages.Hook;
import io.sluice.harness.agent.AgentMessages.Rebuild;
import io.sluice.harness.agent.AgentMessages.Replicas;
import io.sluice.harness.agent.HookState;
import io.sluice.harness.report.ByteFormat;
import io.sluice.streaming.plan.Operation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
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
        Receiving receiving,
        TablesNow.Source tables,
        long rateBytesPerSecond,
        Consumer<String> screen) {

    /** Shows refusals, who would send what, how much it is; whether nothing speaks against it. */
    boolean run() throws IOException, InterruptedException {
        Optional<Member> target = members.named(order.target());
        List<Member> sources = members.live(order.target());
        Preflight preflight = new Preflight(order, sources, target);
        List<String> refusals = new ArrayList<>(preflight.refusals());
        tables.endpoint().flatMap(preflight::otherRing).ifPresent(refusals::add);
        screen.accept(target.map(receiving::describe).orElse("no agent of " + order.target() + " answers"));
        Optional<Hook> holding = target.filter(joining -> order.operation() != Operation.REBUILD)
                .flatMap(joining -> joining.status().hook())
                .filter(hook -> hook.state() == HookState.HOLDING);
        if (order.operation() == Operation.BOOTSTRAP && holding.isEmpty()) {
            screen.accept("who sends what, and how much, is known when the new node waits: it chooses its tokens then");
        } else {
            boolean isYetToAsk = target.flatMap(receiving::goneOn).isEmpty() && holding.isEmpty();
            Map<String, String> refused = order.dead().isPresent() && isYetToAsk
                    ? withoutSource(order.dead().get(), sources)
                    : Map.of();
            Map<String, String> missing = new TreeMap<>(receiving.missing(target, sources));
            missing.keySet().removeAll(refused.keySet()); // not lost: another replica may be started
            missing.forEach((keyspace, reason) -> screen.accept(JoinReport.missing(keyspace, reason)));
            refusals.addAll(refused.values());
            List<JoinPlan> plans = plans(holding, target, sources);
            show(Amounts.of(plans, sources), thereBytes(target, holding, plans), target, refusals);
        }
        if (!refusals.isEmpty()) {
            refusals.addAll(members.problems()); // may be why a node seems to have no agent
        }
        refusals.forEach(reason -> screen.accept("refused: " + reason));
        return refusals.isEmpty();
    }

    /**
     * Why the start of a node would end, by keyspace. Of a range with one replica Cassandra warns only; of others it
     * wants a source before anything can be held.
     */
    private static Map<String, String> withoutSource(String dead, List<Member> sources) throws IOException {
        Map<String, String> refused = new TreeMap<>();
        Set<String> live = JoiningNode.live(sources);
        for (String keyspace : RebuiltNode.keyspaces(sources.get(0))) {
            Replicas replicas = sources.get(0).agent().replicas(keyspace);
            JoinPlan.alone(dead, replicas, live::contains).stream()
                    .filter(range ->
                            replicas.natural().getOrDefault(range, List.of()).size() > 1)
                    .findFirst()
                    .ifPresent(range -> refused.put(
                            keyspace,
                            withoutSource(keyspace, range, replicas.natural().getOrDefault(range, List.of()), dead)));
        }
        return refused;
    }

    private static String withoutSource(String keyspace, String range, List<String> endpoints, String dead) {
        String others = endpoints.stream()
                .filter(endpoint -> !Member.isNamed(endpoint, dead))
                .collect(Collectors.joining(" or "));
        return "keyspace " + keyspace + ": none of the " + endpoints.size() + " replicas of range " + range
                + " is alive: Cassandra ends the start of a new node then, unable to find sufficient sources (expected:"
                + " one that is alive; start " + others + ")";
    }

    /** Cassandra's own, if the node waits; else that of what the dead node has, or the member that is rebuilt. */
    private List<JoinPlan> plans(Optional<Hook> holding, Optional<Member> target, List<Member> sources)
            throws IOException {
        Map<String, List<String>> marked = holding.map(Hook::marked)
                .or(() -> rebuild(target).map(Rebuild::marked))
                .orElse(Map.of());
        Set<String> live =
                order.senders(sources).stream().map(Member::endpoint).collect(Collectors.toCollection(TreeSet::new));
        Map<String, String> left = new TreeMap<>(tables.ask().takingNoFiles());
        Map<String, Map<String, List<String>>> planned = order.operation() == Operation.REBUILD
                ? RebuiltNode.planned(order, order.target(), sources, marked, left)
                : planned(holding, sources, live);
        List<JoinPlan> plans = new ArrayList<>();
        for (String keyspace : RebuiltNode.keyspaces(sources.get(0))) {
            Map<String, List<String>> its = planned.getOrDefault(keyspace, Map.of());
            if (!its.isEmpty() && Join.isMarked(marked, keyspace, its)) {
                screen.accept("keyspace " + keyspace + " is " + receiving.brought() + " already");
            } else if (left.containsKey(keyspace)) {
                screen.accept("keyspace " + keyspace + " " + receiving.left() + ": " + left.get(keyspace));
            } else if (!its.isEmpty()) {
                Replicas replicas = sources.get(0).agent().replicas(keyspace);
                plans.add(JoinPlan.of(keyspace, its, replicas, live, order.from()));
            }
        }
        return plans;
    }

    private Optional<Rebuild> rebuild(Optional<Member> target) {
        return order.operation() == Operation.REBUILD
                ? target.flatMap(member -> member.status().rebuild())
                : Optional.empty();
    }

    /** What an earlier run has brought of it; 0 if none has begun. */
    private long thereBytes(Optional<Member> target, Optional<Hook> holding, List<JoinPlan> plans) throws IOException {
        return target.isPresent() && (holding.isPresent() || rebuild(target).isPresent())
                ? Join.thereBytes(target.get(), receiving.operation(target.get()), plans)
                : 0;
    }

    private Map<String, Map<String, List<String>>> planned(
            Optional<Hook> holding, List<Member> sources, Set<String> live) throws IOException {
        if (holding.isPresent()) {
            return holding.get().plan();
        }
        Map<String, Map<String, List<String>>> planned = new TreeMap<>();
        for (String keyspace : RebuiltNode.keyspaces(sources.get(0))) {
            planned.put(
                    keyspace,
                    JoinPlan.ofDead(
                            order.dead().orElse(""), sources.get(0).agent().replicas(keyspace), live));
        }
        return planned;
    }

    private void show(Amounts amounts, long thereBytes, Optional<Member> target, List<String> refusals) {
        long needed = Math.max(0, amounts.bytes() - thereBytes);
        show(amounts);
        screen.accept("in all " + ByteFormat.text(amounts.bytes())
                + (thereBytes == 0 ? "" : ", of which " + ByteFormat.text(thereBytes) + " have landed before")
                + ", about " + seconds(needed) + " s at " + ByteFormat.text(rateBytesPerSecond)
                + "/s (assumed; --rate assumes another), and the time of digests");
        target.flatMap(joining -> Room.refusal(joining, needed)).ifPresent(refusals::add);
        screen.accept("room: " + ByteFormat.text(needed) + " needed at "
                + (order.operation() == Operation.REBUILD ? order.target() : "the new node") + ", "
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
    }

    private long seconds(long bytes) {
        return bytes / rateBytesPerSecond + (bytes % rateBytesPerSecond == 0 ? 0 : 1);
    }
}
