package io.sluice.harness.scenario;

import io.sluice.harness.admin.AdminException;
import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.admin.FetchState;
import io.sluice.harness.admin.FetchState.Phase;
import io.sluice.harness.admin.FetchState.Problem;
import io.sluice.harness.admin.RingView;
import io.sluice.harness.cluster.NodeProcess;
import io.sluice.harness.cluster.ProcessUsage;
import io.sluice.harness.report.ProgressView;
import io.sluice.harness.scenario.ScenarioException.Kind;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.planner.DataSizes;
import io.sluice.streaming.planner.Planner;
import io.sluice.streaming.planner.PlannerOptions;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One change of the ring on nodes that run: all that gain something are asked to fetch it, and watched until the last
 * of them has ended. Not thread-safe; used once.
 */
final class ChangeExecution {
    private static final Logger LOG = LoggerFactory.getLogger(ChangeExecution.class);
    private static final long POLL_MILLIS = 50;
    private static final Set<SessionProgress.State> PREPARING =
            Set.of(SessionProgress.State.INITIALIZED, SessionProgress.State.PREPARING);
    private static final long SILENCE_SECONDS = 60;

    private final RunningNodes nodes;
    private final FaultSchedule faults;
    private final RunListeners listeners;
    private final ReportBuilder report;
    private final UUID planId = UUID.randomUUID();
    private final Map<Node, FetchState> states = new LinkedHashMap<>();
    private final Map<Node, FetchState> ended = new LinkedHashMap<>();
    private final Map<Node, Long> lastAnswerNanos = new LinkedHashMap<>();

    ChangeExecution(RunningNodes nodes, FaultSchedule faults, RunListeners listeners, ReportBuilder report) {
        this.nodes = nodes;
        this.faults = faults;
        this.listeners = listeners;
        this.report = report;
    }

    /**
     * Carries it out.
     *
     * @throws ScenarioException if it cannot begin; whatever happens later is in the outcome
     */
    Outcome run(TopologyChange change, Map<TableRef, Ring> rings)
            throws IOException, InterruptedException, ScenarioException {
        TopologyPlan draft = draft(change, rings);
        List<Node> receivers = draft.destinations();
        LOG.info("plan {}: {} at {}", planId, change.operation(), receivers);
        String transport = transport(receivers);
        faults.advance(0, FaultSchedule.Traffic.of(draft));
        Map<NodeProcess, ProcessUsage> before = new LinkedHashMap<>();
        nodes.all().forEach(process -> before.put(process, process.usage()));
        for (Node receiver : receivers) {
            order(receiver, change, rings);
        }
        try (ProgressView progress = ProgressView.on(listeners.out(), listeners.isTerminal())) {
            while (ended.size() < receivers.size()) {
                Thread.sleep(POLL_MILLIS);
                for (Node receiver : receivers) {
                    if (!ended.containsKey(receiver)) {
                        poll(receiver);
                    }
                }
                Map<Node, List<SessionProgress>> received = received();
                long nanos = states.values().stream()
                        .mapToLong(FetchState::streamingNanos)
                        .max()
                        .orElse(0);
                progress.show(bySource(received), nanos);
                report.streaming(received, nanos, usedSince(before), transport);
                faults.advance(share(), FaultSchedule.Traffic.of(unfinished(received)));
            }
        }
        Outcome outcome = Outcome.of(ended);
        report.changeEnded(outcome.results());
        return outcome;
    }

    /**
     * How nodes move bytes: all do it in the same way. A receiver is asked first: others may be dead or frozen by a
     * fault, and each that does not answer takes half a minute.
     */
    private String transport(List<Node> receivers) throws IOException {
        List<NodeProcess> asked = new ArrayList<>(nodes.all());
        asked.sort(Comparator.comparing((NodeProcess process) -> !receivers.contains(process.node())));
        for (NodeProcess process : asked) {
            if (process.isAlive()) {
                try {
                    return process.admin().status().transport();
                } catch (AdminException e) {
                    LOG.info("{}", e.getMessage());
                }
            }
        }
        throw new IOException("no node answers (expected: one at least; their logs say why)");
    }

    /** Who receives is known from the rings alone; how it is balanced is found by who receives. */
    static TopologyPlan draft(TopologyChange change, Map<TableRef, Ring> rings) throws ScenarioException {
        try {
            return Planner.plan(change, rings, DataSizes.even(1L << 40), PlannerOptions.DEFAULTS);
        } catch (StreamException e) {
            throw ScenarioException.ofStreaming(Kind.REFUSED, e.code(), String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            throw new ScenarioException(Kind.REFUSED, String.valueOf(e.getMessage()), e);
        }
    }

    private void order(Node receiver, TopologyChange change, Map<TableRef, Ring> rings) throws IOException {
        Map<TableRef, RingView> seen = new LinkedHashMap<>();
        for (Map.Entry<TableRef, Ring> table : rings.entrySet()) {
            seen.put(table.getKey(), seenBy(receiver, table.getValue()));
        }
        lastAnswerNanos.put(receiver, System.nanoTime());
        try {
            states.put(receiver, nodes.process(receiver).admin().fetch(AdminRequests.Fetch.of(planId, change, seen)));
        } catch (AdminException e) {
            end(receiver, change.operation(), Optional.empty(), problem(e, String.valueOf(e.getMessage())));
        }
    }

    /** Why a receiver does not fetch: whoever refuses an order of ours is there, and finds a defect in it. */
    static Problem problem(AdminException failure, String ifSilent) {
        return failure.isRefused()
                ? new Problem(ErrorCode.INTERNAL, String.valueOf(failure.getMessage()))
                : new Problem(ErrorCode.PEER_LOST, ifSilent);
    }

    private RingView seenBy(Node receiver, Ring ring) throws IOException {
        List<Node> seen = new ArrayList<>();
        for (Node node : ring.nodes()) {
            seen.add(faults.seenBy(receiver, node));
        }
        return new RingView(seen, ring.replication());
    }

    private void poll(Node receiver) throws IOException {
        NodeProcess process = nodes.process(receiver);
        try {
            FetchState state = process.admin().fetchState(planId);
            states.put(receiver, state);
            lastAnswerNanos.put(receiver, System.nanoTime());
            if (state.hasEnded()) {
                ended.put(receiver, state);
            }
        } catch (AdminException e) {
            long silent = System.nanoTime() - lastAnswerNanos.getOrDefault(receiver, 0L);
            FetchState last = states.get(receiver);
            if (last == null) {
                throw e;
            }
            if (!process.isAlive()) {
                end(
                        receiver,
                        last.operation(),
                        Optional.of(last),
                        new Problem(
                                ErrorCode.PEER_LOST,
                                receiver + " died while it fetched (its logs: "
                                        + process.home().logs() + ")"));
            } else if (silent > TimeUnit.SECONDS.toNanos(SILENCE_SECONDS)) {
                end(
                        receiver,
                        last.operation(),
                        Optional.of(last),
                        problem(e, receiver + " has not answered for " + SILENCE_SECONDS + " s (is it frozen?)"));
            }
        }
    }

    private void end(Node receiver, Operation operation, Optional<FetchState> last, Problem problem) {
        FetchState end = new FetchState(
                planId,
                operation,
                operation.priority(),
                Phase.ENDED,
                last.map(FetchState::sessions).orElse(List.of()),
                last.map(FetchState::streamingNanos).orElse(0L),
                0,
                Optional.empty(),
                Optional.of(problem));
        states.put(receiver, end);
        ended.put(receiver, end);
    }

    private Map<Node, List<SessionProgress>> received() {
        Map<Node, List<SessionProgress>> received = new LinkedHashMap<>();
        states.forEach((node, state) -> received.put(node, state.sessions()));
        return received;
    }

    private Map<Node, List<SessionProgress>> unfinished(Map<Node, List<SessionProgress>> received) {
        Map<Node, List<SessionProgress>> left = new LinkedHashMap<>(received);
        left.keySet().removeAll(ended.keySet());
        return left;
    }

    /** The part that has arrived of all that is to; 0 as long as not all receivers know how much that is. */
    private double share() {
        long total = 0;
        long arrived = 0;
        for (FetchState state : states.values()) {
            boolean isKnown = state.phase() != Phase.PLANNING
                    && state.sessions().stream().noneMatch(session -> PREPARING.contains(session.state()));
            if (!isKnown && !state.hasEnded()) {
                return 0;
            }
            for (SessionProgress session : state.sessions()) {
                total += session.bytesTotal();
                arrived += session.bytesReceived();
            }
        }
        return total == 0 ? 0 : (double) arrived / total;
    }

    /** Of each source what all have got of it, in one. */
    static List<SessionProgress> bySource(Map<Node, List<SessionProgress>> received) {
        Map<Node, SessionProgress> sums = new LinkedHashMap<>();
        received.values().stream()
                .flatMap(List::stream)
                .forEach(session -> sums.merge(
                        session.peer(),
                        session,
                        (a, b) -> a.counting(
                                a.sstablesTotal() + b.sstablesTotal(),
                                a.filesTotal() + b.filesTotal(),
                                a.filesReceived() + b.filesReceived(),
                                a.bytesTotal() + b.bytesTotal(),
                                a.bytesReceived() + b.bytesReceived(),
                                a.bytesResumed() + b.bytesResumed())));
        return List.copyOf(sums.values());
    }

    private static Map<Node, ProcessUsage> usedSince(Map<NodeProcess, ProcessUsage> before) {
        Map<Node, ProcessUsage> used = new LinkedHashMap<>();
        before.forEach(
                (member, earlier) -> used.put(member.node(), member.usage().since(earlier)));
        return used;
    }
}
