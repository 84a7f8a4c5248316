package io.sluice.harness.load;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.load.LoadTable.Write;
import io.sluice.harness.store.Mutation;
import io.sluice.sstable.token.TokenRange;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the writes of one table to all their replicas, natural and pending, and reports which were acknowledged. Keeps
 * a hint for each write that a live replica did not accept. Notifies nodes which writes they receive: when the ring
 * changes, and when they missed a write. Thread-safe: one batch, or one change of the ring, at a time; so when
 * {@link #change} returns, every write in flight uses the new ring.
 */
public final class Coordinator implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Coordinator.class);

    private static final int HINTS_PER_REQUEST = 500;

    private final LoadTable table;
    private final Consistency consistency;
    private final ExecutorService senders = Executors.newCachedThreadPool();

    @GuardedBy("this")
    private final Map<UUID, AdminClient> clients = new HashMap<>();

    @GuardedBy("this")
    private final Map<UUID, Set<Write>> hints = new LinkedHashMap<>();

    /** Nodes that do not know which writes they receive, and whether each has missed a write. */
    @GuardedBy("this")
    private final Map<UUID, Boolean> untold = new HashMap<>();

    @GuardedBy("this")
    private Ring ring;

    /** Notifies the nodes before the first write. */
    public Coordinator(LoadTable table, Consistency consistency, Ring ring, Map<Node, AdminClient> clients) {
        this.table = table;
        this.consistency = consistency;
        this.ring = ring;
        clients.forEach((node, client) -> this.clients.put(node.id(), client));
        ring.nodes().forEach(node -> untold.put(node.id(), false));
    }

    /**
     * From now on writes use {@code changed}, and nodes know it; drops the hints of nodes that are down or were
     * removed. A node that cannot be notified now is notified before the next write to it.
     */
    public synchronized void change(Ring changed, Map<Node, AdminClient> added) throws InterruptedException {
        ring = changed;
        added.forEach((node, client) -> clients.put(node.id(), client));
        hints.keySet().removeIf(id -> changed.node(id).filter(Node::isUp).isEmpty());
        untold.keySet().removeIf(id -> changed.node(id).isEmpty());
        Map<Node, List<Write>> nothing = new LinkedHashMap<>();
        for (Node node : changed.nodes()) {
            untold.putIfAbsent(node.id(), false);
            if (node.isUp() && clients.containsKey(node.id())) {
                nothing.put(node, List.of());
            }
        }
        send(nothing);
    }

    /** Drops the hints: the table was truncated. */
    synchronized void dropHints() {
        hints.clear();
    }

    /** Sends a batch and waits for all answers; returns the writes that enough replicas accepted. */
    synchronized List<Write> write(List<Write> batch) throws InterruptedException {
        Map<Node, List<Write>> byNode = new LinkedHashMap<>();
        for (Write write : batch) {
            for (Node node : targets(write)) {
                byNode.computeIfAbsent(node, any -> new ArrayList<>()).add(write);
            }
        }
        Map<Write, Integer> answers = new HashMap<>();
        for (Map.Entry<Node, Boolean> answer : send(byNode).entrySet()) {
            Node node = answer.getKey();
            List<Write> sent = byNode.getOrDefault(node, List.of());
            if (answer.getValue()) {
                sent.forEach(write -> answers.merge(write, 1, Integer::sum));
            } else {
                hints.computeIfAbsent(node.id(), any -> new LinkedHashSet<>()).addAll(sent);
                untold.put(node.id(), true);
            }
        }
        List<Write> acknowledged = new ArrayList<>();
        for (Write write : batch) {
            if (answers.getOrDefault(write, 0) >= required(write)) {
                acknowledged.add(write);
            }
        }
        return acknowledged;
    }

    @GuardedBy("this")
    private List<Node> targets(Write write) {
        var token = write.partitionKey().token();
        List<Node> targets = new ArrayList<>(ring.replicas(token));
        targets.addAll(ring.pendingReplicas(token));
        targets.removeIf(node -> !node.isUp());
        return targets;
    }

    @GuardedBy("this")
    private int required(Write write) {
        var token = write.partitionKey().token();
        Set<Node> pending = ring.pendingReplicas(token);
        return consistency.required(ring.replicas(token).size(), pending.size());
    }

    @GuardedBy("this")
    private Map<Node, Boolean> send(Map<Node, List<Write>> byNode) throws InterruptedException {
        Map<Node, Future<Boolean>> sent = new LinkedHashMap<>();
        for (Map.Entry<Node, List<Write>> target : byNode.entrySet()) {
            Node node = target.getKey();
            AdminClient client = clients.get(node.id());
            if (client == null) {
                throw new IllegalStateException(
                        "no admin client for " + node + " (expected: an admin client for each replica)");
            }
            Boolean hasMissed = untold.get(node.id());
            Optional<AdminRequests.TakePart> news = hasMissed == null
                    ? Optional.empty()
                    : Optional.of(new AdminRequests.TakePart(table.ref().id(), ranges(node), hasMissed));
            sent.put(node, senders.submit(() -> sendTo(node, client, news, target.getValue())));
        }
        Map<Node, Boolean> answers = new LinkedHashMap<>();
        for (Map.Entry<Node, Future<Boolean>> answer : sent.entrySet()) {
            try {
                boolean isTaken = answer.getValue().get();
                answers.put(answer.getKey(), isTaken);
                if (isTaken) {
                    untold.remove(answer.getKey().id());
                }
            } catch (ExecutionException e) {
                throw new IllegalStateException("writing to " + answer.getKey(), e);
            }
        }
        return answers;
    }

    @GuardedBy("this")
    private List<TokenRange> ranges(Node node) {
        return ring.rangesOf(node).union(ring.pendingRangesOf(node)).ranges();
    }

    private boolean sendTo(Node node, AdminClient client, Optional<AdminRequests.TakePart> news, List<Write> writes) {
        List<Mutation> mutations = writes.stream().map(Write::toMutation).toList();
        try {
            if (news.isPresent()) {
                client.takePart(news.get());
            }
            if (!mutations.isEmpty()) {
                client.write(table.ref().id(), LoadTable.CODEC.writeAll(mutations));
            }
            return true;
        } catch (IOException e) {
            LOG.warn("{} writes not accepted by {}, kept as hints: {}", writes.size(), node, e.getMessage());
            return false;
        }
    }

    /** Number of writes that wait for replicas that did not accept them. */
    synchronized int hintCount() {
        return hints.values().stream().mapToInt(Set::size).sum();
    }

    /** Sends the hints again, in batches; a hint that is not accepted is kept. */
    synchronized void deliverHints() throws InterruptedException {
        boolean isTaken = true;
        while (isTaken && !hints.isEmpty()) {
            Map<Node, List<Write>> waiting = new LinkedHashMap<>();
            for (Map.Entry<UUID, Set<Write>> hint : hints.entrySet()) {
                List<Write> first =
                        hint.getValue().stream().limit(HINTS_PER_REQUEST).toList();
                ring.node(hint.getKey()).ifPresent(node -> waiting.put(node, first));
            }
            isTaken = false;
            for (Map.Entry<Node, Boolean> answer : send(waiting).entrySet()) {
                Set<Write> left = hints.get(answer.getKey().id());
                if (answer.getValue() && left != null) {
                    isTaken = true;
                    waiting.getOrDefault(answer.getKey(), List.of()).forEach(left::remove);
                    if (left.isEmpty()) {
                        hints.remove(answer.getKey().id());
                    }
                }
            }
        }
    }

    @Override
    public void close() {
        senders.shutdownNow();
    }
}
