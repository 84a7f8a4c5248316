package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentMessages;
import io.sluice.harness.agent.AgentMessages.Hook;
import io.sluice.harness.agent.AgentMessages.Pinned;
import io.sluice.harness.agent.AgentMessages.Replicas;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
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
 * One join, from a node that waits to a node that has joined, or the rebuild of a member: plans, lets everybody know of
 * the node, pins, moves, verifies, imports, marks, lets go. May be run again after any failure: what is marked is not
 * brought again. Not thread-safe.
 */
public final class Join {
    private static final long POLL_MILLIS = 500;
    private static final long ROOM_NANOS = 15_000_000_000L;
    private static final long AGENTS_NANOS = 120_000_000_000L;

    private final JoinOrder order;
    private final Members members;
    private final TablesNow.Source tables;
    private final JoinProgress progress;
    private final Receiving receiving;
    private final PendingWrites writes;
    private final JoinEnd end;

    /**
     * Prepares.
     *
     * @param tables asked for those that take no files, so that Cassandra has to fetch their keyspaces by itself
     * @param progress takes each step
     */
    public Join(JoinOrder order, Members members, TablesNow.Source tables, JoinProgress progress) {
        this.order = order;
        this.members = members;
        this.tables = tables;
        this.progress = progress;
        this.receiving = Receiving.of(order, members, progress);
        this.writes = new PendingWrites(order, members, progress, receiving::writtenTo, System::nanoTime);
        this.end = new JoinEnd(order, members, receiving, progress);
    }

    /**
     * Does it. Of a node that has gone on already it brings nothing more: it waits until the node has joined, and
     * clears up.
     *
     * @throws RefusedException if it may not be done; no data was moved
     * @throws IOException if something fails; a node that joins waits on, and running again goes on
     */
    public JoinReport run() throws IOException, InterruptedException {
        Member target = receiving.await(writes::look);
        Optional<Hook> gone = receiving.goneOn(target);
        if (gone.isPresent()) {
            return joinedByItself(target, gone.get());
        }
        CoordinatorHeartbeat heartbeat = CoordinatorHeartbeat.start(
                target.agent(), CoordinatorHeartbeat.PERIOD, CoordinatorHeartbeat.TIMEOUT, progress::heartbeat);
        try {
            return bring(target);
        } finally {
            heartbeat.close();
        }
    }

    private JoinReport bring(Member target) throws IOException, InterruptedException {
        awaitAgents(target);
        writes.look(target);
        List<Member> before = members.sources(target);
        preflight(before, target);
        Map<String, String> left = new TreeMap<>();
        Receiving.Job job = receiving.begin(target, before, left);
        UUID operation = job.operation();
        List<JoinPlan> plans = plans(job, before, left);
        Map<String, String> missing =
                receiving.missing(Optional.of(target), before); // before the node takes the place of a dead one
        missing.forEach((keyspace, reason) -> progress.say(JoinReport.missing(keyspace, reason)));
        UUID coordinator = target.agent().coordinator(); // its tasks are asked for by that, too
        progress.waitsFor("the end of what an earlier run has begun at " + target);
        target.agent().discard(coordinator, Optional.of(operation));
        writes.look(target);
        if (order.throttle().isPresent()) {
            target.agent()
                    .throughput(new AgentMessages.Throughput(
                            operation, order.throttle().get()));
        }
        progress.waitsFor("sizes of all tables at the sources");
        Amounts amounts = Amounts.of(plans, before);
        progress.expects(amounts);
        requireRoom(target, Math.max(0, amounts.bytes() - thereBytes(target, operation, plans)));
        writes.await(target, before, plans);
        List<Member> sources = new ArrayList<>();
        for (Member source : before) {
            sources.add(source.now()); // a table may have been created meanwhile
        }
        preflight(sources, target.now());
        TablesNow beforePins = tables.ask();
        PinsOfSources pins = pin(operation, target.now(), sources, plans);
        pins.leftToCassandra(target).forEach((keyspace, reason) -> leave(left, keyspace, reason));
        progress.waitsFor("sizes of all that is pinned");
        progress.expects(Amounts.of( // again: a snapshot flushes what had been in memory alone
                plans.stream()
                        .filter(plan -> !left.containsKey(plan.keyspace()))
                        .toList(),
                sources));
        List<JoinReport.Transfer> transfers = new ArrayList<>();
        Transfers moving = new Transfers(order, operation, coordinator, target, progress);
        for (JoinPlan plan : plans) {
            if (!left.containsKey(plan.keyspace())) {
                Transfers.Check check =
                        () -> tables.ask().objection(plan.keyspace(), pins.tables(plan.keyspace()), beforePins);
                Transfers.Brought brought = moving.bring(plan, pins.bySource(), check);
                transfers.addAll(brought.transfers());
                Optional<String> objection =
                        brought.objection().isPresent() ? brought.objection() : pins.changed(plan.keyspace(), target);
                if (objection.isPresent()) {
                    leave(left, plan.keyspace(), objection.get());
                } else {
                    mark(
                            target,
                            new AgentMessages.Mark(coordinator, operation.toString(), plan.keyspace(), plan.ranges()));
                }
            }
            pins.release(plan.keyspace());
        }
        LateTruncations truncations =
                new LateTruncations(tables, beforePins, broughtWhileJoining(job, sources, left), progress);
        truncations.look(); // before as well: whether it joins is not sure
        receiving.complete(target, job);
        return end.finish(target, transfers, new JoinEnd.NotBrought(left, missing), truncations.atTheEnd());
    }

    /** What a node that joins has been brought, also by earlier runs; none of a member, which a truncation reaches. */
    private List<TableRef> broughtWhileJoining(Receiving.Job job, List<Member> sources, Map<String, String> left) {
        return order.operation() == Operation.REBUILD
                ? List.of()
                : sources.stream()
                        .flatMap(source -> source.status().tables().stream())
                        .filter(table ->
                                job.planned().containsKey(table.keyspace()) && !left.containsKey(table.keyspace()))
                        .distinct()
                        .toList();
    }

    /** One that has just been started reaches its node after some seconds, which seems to have no agent until then. */
    private void awaitAgents(Member target) throws IOException, InterruptedException {
        long deadline =
                System.nanoTime() + Math.min(AGENTS_NANOS, order.timeout().toNanos());
        String last = "";
        List<String> starting = members.starting();
        while (!starting.isEmpty() && isMissed(target) && System.nanoTime() < deadline) {
            String state = String.join("; ", starting);
            if (!state.equals(last)) {
                progress.waitsFor(state);
                progress.say("waiting: " + state);
                last = state;
            }
            Thread.sleep(POLL_MILLIS);
            starting = members.starting();
        }
    }

    /** Whether an agent that does not answer is needed: that of a dead node is not. */
    private boolean isMissed(Member target) {
        List<Member> sources = members.allBut(target.endpoint());
        return sources.isEmpty()
                || !new Preflight(order, sources, Optional.of(target))
                        .agentless()
                        .isEmpty();
    }

    /** What an earlier run has brought of what is planned: of a keyspace that is marked nothing is. */
    static long thereBytes(Member target, UUID operation, List<JoinPlan> plans) throws IOException {
        Set<String> planned = plans.stream().map(JoinPlan::keyspace).collect(Collectors.toSet());
        return target.agent().arrivals(operation).landed().stream()
                .filter(landed -> planned.contains(landed.table().keyspace()))
                .mapToLong(AgentMessages.Landed::bytes)
                .sum();
    }

    /** What an agent says of its room is some seconds old: what was just discarded may still be in it. */
    private void requireRoom(Member target, long bytes) throws IOException, InterruptedException {
        long waits = Math.min(ROOM_NANOS, order.timeout().toNanos());
        long deadline = System.nanoTime() + waits;
        Optional<String> refusal = Room.refusal(target, bytes);
        progress.waitsFor("room at " + target);
        while (refusal.isPresent()) {
            if (System.nanoTime() > deadline) {
                throw new RefusedException(List.of(refusal.get()));
            }
            Thread.sleep(POLL_MILLIS);
            refusal = Room.refusal(members.named(order.target()).orElse(target), bytes);
        }
    }

    private void preflight(List<Member> sources, Member target) throws IOException {
        Preflight preflight = new Preflight(order, sources, Optional.of(target));
        List<String> refusals = new ArrayList<>(preflight.refusals());
        tables.endpoint().flatMap(preflight::otherRing).ifPresent(refusals::add);
        if (!refusals.isEmpty()) {
            refusals.addAll(members.problems()); // may be why a node seems to have no agent
            throw new RefusedException(refusals);
        }
    }

    private void mark(Member target, AgentMessages.Mark mark) throws IOException {
        target.agent().mark(mark);
        progress.say("keyspace " + mark.keyspace() + ": " + mark.ranges().size() + " ranges " + receiving.brought());
    }

    /** The coordinator before this one was lost, or too slow: its marks, snapshots and what landed are still there. */
    private JoinReport joinedByItself(Member target, Hook hook) throws IOException, InterruptedException {
        List<Member> others = members.allBut(target.endpoint());
        Preflight preflight = new Preflight(order, others, Optional.of(target));
        List<String> refusals = new ArrayList<>(preflight.refusalsOfOneGoneOn());
        tables.endpoint().flatMap(preflight::otherRing).ifPresent(refusals::add);
        if (!refusals.isEmpty()) {
            throw new RefusedException(refusals);
        }
        progress.say("node " + target + " has gone on already: " + hook.reason()
                + ". Nothing more is brought; waiting for it to have joined");
        Map<String, String> left = new TreeMap<>();
        Map<String, String> leftBySchema = tables.ask().takingNoFiles();
        hook.plan().forEach((keyspace, planned) -> {
            if (!isMarked(hook.marked(), keyspace, planned)) {
                left.put(
                        keyspace,
                        leftBySchema.getOrDefault(
                                keyspace, "the node went on before all of its ranges were marked: " + hook.reason()));
            }
        });
        Map<String, String> missing = receiving.missing(Optional.of(target), others);
        new JoiningNode(order, members, progress).awaitJoined(target);
        Optional<String> unknown = left.keySet().containsAll(hook.plan().keySet())
                ? Optional.empty() // nothing was imported that a truncation could have missed
                : Optional.of("an earlier run has brought what the node has, and nobody asked since");
        return end.finish(
                target,
                List.of(),
                new JoinEnd.NotBrought(left, missing),
                new LateTruncations.Truncations(List.of(), unknown));
    }

    static boolean isMarked(Map<String, List<String>> marked, String keyspace, Map<String, List<String>> planned) {
        return Set.copyOf(marked.getOrDefault(keyspace, List.of()))
                .containsAll(planned.values().stream().flatMap(List::stream).toList());
    }

    /**
     * Looks, and changes nothing: refusals, who would send what, how much it is. Before there is a replacement the plan
     * is that of all that the dead node holds.
     *
     * @param rateBytesPerSecond assumed for the estimate of time; at least 1
     * @return whether nothing speaks against it
     */
    public boolean dryRun(long rateBytesPerSecond) throws IOException, InterruptedException {
        return new DryRun(order, members, receiving, tables, rateBytesPerSecond, progress::say).run();
    }

    private List<JoinPlan> plans(Receiving.Job job, List<Member> sources, Map<String, String> left) throws IOException {
        Map.copyOf(left).forEach((keyspace, reason) -> leave(left, keyspace, reason));
        Set<String> live =
                order.senders(sources).stream().map(Member::endpoint).collect(Collectors.toCollection(TreeSet::new));
        Map<String, String> leftBySchema = tables.ask().takingNoFiles();
        List<JoinPlan> plans = new ArrayList<>();
        for (Map.Entry<String, Map<String, List<String>>> planned :
                job.planned().entrySet()) {
            String keyspace = planned.getKey();
            if (isMarked(job.marked(), keyspace, planned.getValue())) {
                progress.say("keyspace " + keyspace + " is " + receiving.brought() + " already");
            } else if (leftBySchema.containsKey(keyspace)) {
                leave(left, keyspace, leftBySchema.get(keyspace));
            } else {
                Replicas replicas = sources.get(0).agent().replicas(keyspace);
                plans.add(JoinPlan.of(keyspace, planned.getValue(), replicas, live, order.from()));
            }
        }
        for (JoinPlan plan : plans) {
            plan.bySource()
                    .forEach((source, ranges) -> progress.say("plan: " + source + " sends "
                            + ranges.ranges().size() + " ranges of keyspace " + plan.keyspace()));
        }
        return plans;
    }

    private void leave(Map<String, String> left, String keyspace, String reason) {
        left.put(keyspace, reason);
        progress.leaves(keyspace);
        progress.say("keyspace " + keyspace + " " + receiving.left() + ": " + reason);
    }

    private PinsOfSources pin(UUID operation, Member target, List<Member> sources, List<JoinPlan> plans)
            throws IOException, InterruptedException {
        PinsOfSources pins = PinsOfSources.take(operation, target, sources, plans, progress);
        pins.bySource()
                .forEach((source, kept) -> progress.say(
                        "pinned " + kept.stream().mapToInt(Pinned::sstables).sum() + " SSTables of " + kept.size()
                                + " tables at " + source));
        return pins;
    }

    /**
     * Aborts: a node that waits goes on at once, and Cassandra fetches all that is not marked. Then, and if it has gone
     * on already, or has joined and was restarted, snapshots are cleared, and what has landed and was not imported.
     *
     * @throws IOException if nothing has begun, the node does not go on, or something cannot be cleared; may be
     *     repeated
     */
    public void abort(String reason) throws IOException {
        end.abort(reason);
    }
}
