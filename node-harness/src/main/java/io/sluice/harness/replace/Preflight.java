package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentMessages.Hook;
import io.sluice.harness.agent.AgentMessages.Status;
import io.sluice.harness.agent.HookState;
import io.sluice.harness.agent.OperationMode;
import io.sluice.streaming.plan.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Whether a join may be done with Sluice: every reason against it, each a sentence. Before there is a node that joins,
 * all that does not need one. Pure.
 */
final class Preflight {
    private static final List<String> LINES = List.of("4.0.", "4.1.", "5.0.");

    /** Cassandra's names of what a replacement does: up to 5.0 that of any node that joins. */
    private static final List<String> JOINING = List.of("Bootstrap", "Replace");

    private final JoinOrder order;
    private final List<Member> sources;
    private final Optional<Member> target;

    /**
     * Prepares.
     *
     * @param sources all live members but the target
     * @param target empty if its agent does not answer
     */
    Preflight(JoinOrder order, List<Member> sources, Optional<Member> target) {
        this.order = order;
        this.sources = List.copyOf(sources);
        this.target = target;
    }

    /** None if it may. */
    List<String> refusals() {
        List<String> refusals = new ArrayList<>();
        deadIsDead(refusals);
        if (order.operation() == Operation.REBUILD) {
            targetIsMember(refusals);
        } else {
            target.filter(Preflight::hasJoined).ifPresent(member -> refusals.add(joined(member, sources)));
            targetWaitsForThis(refusals);
        }
        everyLiveNodeHasAnAgent(refusals);
        releases(refusals);
        schema(refusals);
        otherChanges(refusals);
        otherRebuilds(refusals);
        datacenter(refusals);
        return refusals;
    }

    /** Of a node that has gone on, before what is left is removed: none if it did so in this join. */
    List<String> refusalsOfOneGoneOn() {
        List<String> refusals = new ArrayList<>();
        targetWaitsForThis(refusals);
        target.flatMap(Preflight::rebuild).ifPresent(refusals::add);
        return refusals;
    }

    /** That a node is being rebuilt; empty if it is not. */
    static Optional<String> rebuild(Member node) {
        return node.status()
                .rebuild()
                .map(rebuild ->
                        "the rebuild of node " + node + " has begun and is not over (expected: one operation at a"
                                + " time; run it again, or with --abort)");
    }

    /** Whether a node will never wait for its data: it is a member already, and has not asked since it started. */
    static boolean hasJoined(Member target) {
        boolean hasAsked = target.status()
                .hook()
                .filter(asked -> asked.state() != HookState.IDLE)
                .isPresent();
        return !hasAsked && target.status().mode() == OperationMode.NORMAL;
    }

    /** Why one that has joined is brought nothing, and what to do; {@code others} may keep snapshots for it. */
    static String joined(Member target, List<Member> others) {
        UUID id = target.status().agent().id();
        String keeping = others.stream()
                .filter(other -> other.status()
                        .pins()
                        .filter(pins -> pins.target().equals(id))
                        .isPresent())
                .map(Member::endpoint)
                .sorted()
                .collect(Collectors.joining(", "));
        return "node " + target + " is NORMAL and "
                + (target.status().hook().isPresent() ? "has asked nobody for data since it started" : "has no hook")
                + ": it is a member of the ring, serves reads, and may have no data (expected: a node that joins and"
                + " waits in the hook). "
                + (keeping.isEmpty()
                        ? "No snapshots for it are at a source that answers"
                        : "It was restarted, and snapshots of an earlier operation for it are at " + keeping
                                + " (--abort REASON removes them)")
                + ", and the other replicas have what they had. Unless it had joined with its data before, bring it"
                + " what it owns by sluice cassandra rebuild --node "
                + target.endpoint().substring(0, target.endpoint().lastIndexOf(':'))
                + "; until then read at QUORUM";
    }

    /**
     * That the node which is asked over CQL is none of the ring that the agents know: what it says of tables,
     * truncations and indexes would be about other ones.
     *
     * @param asked as its ring calls it
     */
    Optional<String> otherRing(String asked) {
        Set<String> ring = new TreeSet<>();
        Stream.concat(sources.stream(), target.stream()).forEach(member -> {
            ring.add(member.endpoint());
            ring.addAll(member.status().live());
            ring.addAll(member.status().unreachable());
            ring.addAll(member.status().changing());
        });
        return Optional.of("node " + asked + ", which --cql names, is none of the ring of the agents: "
                        + String.join(", ", ring) + " (expected: --cql and --agent of one cluster)")
                .filter(refusal -> !ring.contains(asked));
    }

    private void deadIsDead(List<String> refusals) {
        order.dead().ifPresent(dead -> {
            if (isTarget(dead) || Member.isNamed(dead, order.target())) {
                refusals.add("the replacement has the address of the dead node, " + dead
                        + ": it would get no writes while it joins (expected: another address)");
            }
            for (Member source : sources) {
                if (source.status().live().stream().anyMatch(live -> Member.isNamed(live, dead))) {
                    refusals.add("node " + dead + " is alive, says " + source + " (expected: a dead node)");
                } else if (source.status().unreachable().stream().noneMatch(gone -> Member.isNamed(gone, dead))
                        && target.map(joining -> joining.status().changing().isEmpty())
                                .orElse(true)) {
                    refusals.add("node " + dead + " is not known to " + source + " (expected: a node of the ring)");
                }
            }
        });
    }

    private boolean isTarget(String host) {
        return target.map(joining -> joining.isNamed(host)).orElseGet(() -> Member.isNamed(order.target(), host));
    }

    /** Whether this endpoint is the node that joins. */
    private boolean isJoining(String endpoint) {
        return target.map(joining -> joining.endpoint().equals(endpoint))
                .orElseGet(() -> Member.isNamed(endpoint, order.target()));
    }

    /** Else the data of other ranges would be brought, or none would be missing. */
    private void targetWaitsForThis(List<String> refusals) {
        Optional<Hook> hook = target.flatMap(joining -> joining.status().hook());
        if (hook.isEmpty()) {
            return; // the node is not ready to say
        }
        Member node = target.orElseThrow();
        List<String> operations = order.dead().isPresent() ? JOINING : JOINING.subList(0, 1);
        String operation = hook.get().operation();
        if (!operation.isEmpty() && !operations.contains(operation)) {
            refusals.add("node " + node + (hook.get().state() == HookState.LET_GO ? " went on in" : " waits in")
                    + " operation " + operation + " (expected: " + JOINING.get(0)
                    + ", as a node "
                    + order.dead()
                            .map(dead -> "that takes the place of another")
                            .orElse("that joins") + ")");
        }
        Optional<String> replaces = node.status().replaces();
        order.dead()
                .ifPresentOrElse(
                        dead -> {
                            if (replaces.filter(other -> Member.isNamed(other, dead))
                                    .isEmpty()) {
                                refusals.add("node " + node + " was started to replace " + replaces.orElse("none")
                                        + " (expected: " + dead + ", by -Dcassandra.replace_address_first_boot=" + dead
                                        + ")");
                            }
                        },
                        () -> replaces.ifPresent(dead -> refusals.add("node " + node + " was started to replace " + dead
                                + " (expected: none; replace-node --dead brings the data of one that does)")));
    }

    /** It takes part in writes, and fetches nothing by itself. */
    private void targetIsMember(List<String> refusals) {
        target.ifPresent(node -> modeAndHook(node, refusals)); // else nobody knows yet
        String name = target.map(Member::endpoint).orElse(order.target());
        for (Member source : sources) {
            if (source.status().live().stream().noneMatch(live -> Member.isNamed(live, name))) {
                refusals.add("node " + name + " is not alive, says " + source + " (expected: a member that is)");
            }
        }
    }

    private static void modeAndHook(Member node, List<String> refusals) {
        if (node.status().mode() != OperationMode.NORMAL) {
            refusals.add("node " + node + " is " + node.status().mode()
                    + " (expected: NORMAL; bootstrap or replace-node brings the data of one that joins)");
        }
        node.status()
                .hook()
                .filter(hook -> hook.state() == HookState.HOLDING)
                .ifPresent(hook -> refusals.add("node " + node + " waits in operation " + hook.operation()
                        + " of its own (expected: none; let it go on by bootstrap --node with --abort, and run this"
                        + " again when that operation is over)"));
    }

    /** Each of them may coordinate writes, and has to know of the node that joins. */
    private void everyLiveNodeHasAnAgent(List<String> refusals) {
        agentless()
                .forEach(node -> refusals.add("node " + node
                        + " is alive and has no agent (expected: sluice agent beside it, and --agent for it)"));
    }

    /** Live nodes whose agent does not answer. One that joins, leaves or moves is no source, and refused as such. */
    Set<String> agentless() {
        Set<String> with = sources.stream().map(Member::endpoint).collect(Collectors.toCollection(TreeSet::new));
        sources.forEach(source -> with.addAll(source.status().changing()));
        Set<String> without = new TreeSet<>();
        for (Member source : sources) {
            source.status().live().stream()
                    .filter(live -> !with.contains(live) && !isJoining(live))
                    .forEach(without::add);
        }
        return without;
    }

    private void releases(List<String> refusals) {
        Set<String> releases = new TreeSet<>();
        sources.forEach(source -> releases.add(source.status().release()));
        target.ifPresent(joining -> releases.add(joining.status().release()));
        if (releases.size() > 1) {
            refusals.add(
                    "nodes of releases " + String.join(", ", releases) + " (expected: one, an upgrade is finished)");
        }
        releases.stream()
                .filter(release -> LINES.stream().noneMatch(release::startsWith))
                .forEach(release -> refusals.add("Cassandra " + release + " (expected: 4.0, 4.1 or 5.0)"));
    }

    private void schema(List<String> refusals) {
        Set<String> versions = new TreeSet<>();
        sources.forEach(source -> versions.add(source.status().schemaVersion()));
        target.ifPresent(joining -> versions.add(joining.status().schemaVersion()));
        if (versions.size() > 1) {
            refusals.add("the nodes do not agree on the schema: " + String.join(", ", versions)
                    + " (expected: one version; wait, or see nodetool describecluster)");
        }
    }

    private void otherChanges(List<String> refusals) {
        Set<String> changing = new TreeSet<>();
        for (Member source : sources) {
            Status status = source.status();
            status.changing().stream().filter(node -> !isJoining(node)).forEach(changing::add);
        }
        changing.forEach(node ->
                refusals.add("node " + node + " joins, leaves or moves (expected: one change of the ring at a time)"));
    }

    /** One that lacks data is no source of it, and a source keeps the pins of one operation. */
    private void otherRebuilds(List<String> refusals) {
        for (Member source : sources) {
            rebuild(source).ifPresent(refusals::add);
        }
    }

    private void datacenter(List<String> refusals) {
        if (order.senders(sources).isEmpty()) {
            refusals.add("no live node of datacenter " + order.datacenter().orElse("") + " has an agent (expected: one"
                    + " of "
                    + String.join(
                            ", ",
                            new TreeSet<>(sources.stream()
                                    .map(source -> source.status().datacenter())
                                    .toList()))
                    + ")");
        }
    }
}
