package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentMessages;
import io.sluice.harness.agent.AgentMessages.Replicas;
import io.sluice.harness.agent.HookState;
import io.sluice.harness.report.ByteFormat;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** A look at what a {@link Join} would do; changes nothing. Immutable. */
record DryRun(JoinOrder order, Members members, Map<String, String> leftBySchema, Consumer<String> screen) {
    private static final long ASSUMED_BYTES_PER_SECOND = 100_000_000;

    /** Shows refusals, who would send what, how much it is; whether nothing speaks against it. */
    boolean run() throws IOException {
        Optional<Member> target = members.named(order.target());
        List<Member> sources = members.live(order.target());
        List<String> refusals = target.map(joining -> new Preflight(order, sources, joining).refusals())
                .orElse(List.of());
        refusals.forEach(reason -> screen.accept("refused: " + reason));
        screen.accept(target.map(Join::describe).orElse("no agent of " + order.target() + " answers"));
        Set<String> live = sources.stream().map(Member::endpoint).collect(Collectors.toCollection(TreeSet::new));
        Set<String> keyspaces = sources.get(0).status().tables().stream()
                .map(TableRef::keyspace)
                .collect(Collectors.toCollection(TreeSet::new));
        long total = 0;
        for (String keyspace : keyspaces) {
            Replicas replicas = sources.get(0).agent().replicas(keyspace);
            Map<String, List<String>> planned = target.flatMap(
                            joining -> joining.status().hook())
                    .filter(hook -> hook.state() == HookState.HOLDING)
                    .map(hook -> hook.plan().getOrDefault(keyspace, Map.of()))
                    .orElseGet(() -> JoinPlan.ofDead(order.dead().orElse(""), replicas, live));
            if (leftBySchema.containsKey(keyspace)) {
                screen.accept("keyspace " + keyspace + " is left to Cassandra: " + leftBySchema.get(keyspace));
            } else if (!planned.isEmpty()) {
                total += show(JoinPlan.of(keyspace, planned, replicas, live, order.from()), sources);
            }
        }
        screen.accept("in all " + ByteFormat.text(total) + ", " + total / ASSUMED_BYTES_PER_SECOND + " s at 100 MB/s");
        return refusals.isEmpty();
    }

    private long show(JoinPlan plan, List<Member> sources) throws IOException {
        long total = 0;
        for (Member source : sources) {
            TokenRanges ranges = plan.bySource().getOrDefault(source.endpoint(), TokenRanges.NONE);
            if (!ranges.isEmpty()) {
                Map<String, Long> bytes = source.agent()
                        .sizes(new AgentMessages.SizeOrder(plan.keyspace(), ranges.ranges()))
                        .bytes();
                long sum = bytes.values().stream().mapToLong(Long::longValue).sum();
                screen.accept("plan: " + source + " sends " + ranges.ranges().size() + " ranges of keyspace "
                        + plan.keyspace() + ", " + bytes.size() + " tables, " + ByteFormat.text(sum));
                total += sum;
            }
        }
        return total;
    }
}
