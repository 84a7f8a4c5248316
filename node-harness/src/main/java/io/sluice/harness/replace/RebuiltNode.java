package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentMessages.Hook;
import io.sluice.harness.agent.AgentMessages.Rebuild;
import io.sluice.harness.agent.AgentMessages.Replicas;
import io.sluice.harness.agent.OperationMode;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * A member that lacks data which it owns. It takes part in every write already, so that nothing has to hold it, and
 * Cassandra's own rebuild is not used. Immutable.
 */
record RebuiltNode(JoinOrder order, Members members, JoinProgress progress) implements Receiving {
    @Override
    public String describe(Member target) {
        return missing(target).orElse("node " + target + " is a member of the ring, and can be rebuilt");
    }

    private static Optional<String> missing(Member target) {
        OperationMode mode = target.status().mode();
        return mode == OperationMode.NORMAL ? Optional.empty() : Optional.of("node " + target + " is " + mode);
    }

    @Override
    public Member await(Meanwhile meanwhile) throws IOException, InterruptedException {
        return new TargetWait(
                        order, members, progress, "node " + order.target(), "NORMAL, a member that is to be rebuilt")
                // A member is sent writes because it is one; since when nobody can see, so all of the time is waited.
                .await(RebuiltNode::missing, target -> Optional.empty(), target -> {});
    }

    @Override
    public Optional<Hook> goneOn(Member target) {
        return Optional.empty();
    }

    @Override
    public Job begin(Member target, List<Member> sources, Map<String, String> left) throws IOException {
        Rebuild rebuild = target.agent().rebuild();
        Map<String, Map<String, List<String>>> planned =
                planned(order, target.endpoint(), sources, rebuild.marked(), left);
        return new Job(rebuild.operation(), planned, rebuild.marked());
    }

    /**
     * Who may send what a member owns: keyspace, source, ranges. Asks one of the sources; changes nothing.
     *
     * @param marked ranges that an earlier run has completed, by keyspace: whose source may have died since
     * @param left takes keyspaces of which nobody alive may send some range
     */
    static Map<String, Map<String, List<String>>> planned(
            JoinOrder order,
            String target,
            List<Member> sources,
            Map<String, List<String>> marked,
            Map<String, String> left)
            throws IOException {
        Map<String, Map<String, List<String>>> planned = new TreeMap<>();
        for (String keyspace : keyspaces(sources.get(0))) {
            Replicas replicas = sources.get(0).agent().replicas(keyspace);
            JoinPlan.Owned owned = JoinPlan.ofMember(
                    target,
                    replicas,
                    order.senders(sources).stream().map(Member::endpoint).toList());
            List<String> missing = new ArrayList<>(owned.missing());
            missing.removeAll(marked.getOrDefault(keyspace, List.of()));
            if (!missing.isEmpty()) {
                left.put(
                        keyspace,
                        missing.size() + " of its ranges have no live replica"
                                + order.datacenter()
                                        .map(datacenter -> " in datacenter " + datacenter)
                                        .orElse("") + ", as " + missing.get(0));
            } else if (!owned.planned().isEmpty()) {
                planned.put(keyspace, owned.planned());
            }
        }
        return planned;
    }

    /** The keyspaces of the tables that are to be brought. */
    static Set<String> keyspaces(Member source) {
        return source.status().tables().stream().map(TableRef::keyspace).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Of which the node is the only replica: what is to come from one that is not alive {@link #planned} leaves. */
    @Override
    public Map<String, String> missing(Optional<Member> target, List<Member> sources) throws IOException {
        Map<String, String> missing = new TreeMap<>();
        for (String keyspace : keyspaces(sources.get(0))) {
            Replicas replicas = sources.get(0).agent().replicas(keyspace);
            List<String> ranges = JoinPlan.alone(order.target(), replicas, other -> true);
            if (!ranges.isEmpty()) {
                missing.put(
                        keyspace,
                        ranges.size() + " of its ranges have no other replica, as " + ranges.get(0)
                                + ": whether the node has their data nobody knows");
            }
        }
        return missing;
    }

    @Override
    public Map<String, List<String>> writtenTo(Replicas replicas) {
        return replicas.natural();
    }

    @Override
    public String brought() {
        return "complete";
    }

    @Override
    public String left() {
        return "is not brought";
    }

    @Override
    public void complete(Member target, Job job) {
        // It serves what is imported since it is.
    }

    @Override
    public UUID operation(Member target) throws IOException {
        return rebuild(target).operation();
    }

    private static Rebuild rebuild(Member target) throws IOException {
        return target.status()
                .rebuild()
                .orElseThrow(() -> new IOException("no rebuild of node " + target + " has begun"));
    }

    @Override
    public Duration took(Member target) throws IOException {
        return Duration.ofMillis(rebuild(target).sinceMillis());
    }

    @Override
    public Optional<Long> streamedBytes(Member target) {
        return Optional.empty();
    }

    @Override
    public boolean hasForgotten(Member target) {
        return false; // its agent keeps the rebuild in a file
    }

    @Override
    public void abort(Member target, String reason) {
        progress.say("the rebuild of node " + target + " is aborted: " + reason + "; what is imported stays");
    }

    @Override
    public void clearMarks(Member target) {
        // Cassandra knows nothing of what was brought.
    }

    @Override
    public void over(Member target, UUID operation) throws IOException {
        target.agent().endRebuild(operation);
    }
}
