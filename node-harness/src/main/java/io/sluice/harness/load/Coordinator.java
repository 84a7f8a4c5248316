package io.sluice.harness.load;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.load.LoadTable.Write;
import io.sluice.harness.store.Mutation;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends writes to all their replicas, natural and pending, and says which were acknowledged. What a replica that is up
 * did not take is kept for it as a hint. Thread-safe: one batch, or one change of the ring, at a time; so when
 * {@link #change} returns, no write is on its way that does not know the new ring.
 */
public final class Coordinator implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Coordinator.class);

    private final Consistency consistency;
    private final ExecutorService senders = Executors.newCachedThreadPool();

    @GuardedBy("this")
    private final Map<UUID, AdminClient> clients = new HashMap<>();

    @GuardedBy("this")
    private final Map<UUID, List<Write>> hints = new LinkedHashMap<>();

    @GuardedBy("this")
    private Ring ring;

    public Coordinator(Consistency consistency, Ring ring, Map<Node, AdminClient> clients) {
        this.consistency = consistency;
        this.ring = ring;
        clients.forEach((node, client) -> this.clients.put(node.id(), client));
    }

    /** From now on writes go by {@code changed}; hints of nodes that are down or gone are dropped. */
    public synchronized void change(Ring changed, Map<Node, AdminClient> added) {
        ring = changed;
        added.forEach((node, client) -> clients.put(node.id(), client));
        hints.keySet().removeIf(id -> changed.node(id).filter(Node::isUp).isEmpty());
    }

    /** Sends a batch and waits for all answers; those writes that enough replicas have. */
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
                hints.computeIfAbsent(node.id(), any -> new ArrayList<>()).addAll(sent);
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
                throw new IllegalStateException("no way to " + node + " (expected: an admin client for each replica)");
            }
            sent.put(node, senders.submit(() -> sendTo(node, client, target.getValue())));
        }
        Map<Node, Boolean> answers = new LinkedHashMap<>();
        for (Map.Entry<Node, Future<Boolean>> answer : sent.entrySet()) {
            try {
                answers.put(answer.getKey(), answer.getValue().get());
            } catch (ExecutionException e) {
                throw new IllegalStateException("writing to " + answer.getKey(), e);
            }
        }
        return answers;
    }

    private static boolean sendTo(Node node, AdminClient client, List<Write> writes) {
        List<Mutation> mutations = writes.stream().map(Write::toMutation).toList();
        try {
            client.write(LoadTable.REF.id(), LoadTable.CODEC.writeAll(mutations));
            return true;
        } catch (IOException e) {
            LOG.warn("{} writes were not taken by {}, kept as hints: {}", writes.size(), node, e.getMessage());
            return false;
        }
    }

    /** Writes that wait for replicas that did not take them. */
    synchronized int hintCount() {
        return hints.values().stream().mapToInt(List::size).sum();
    }

    /** Sends the hints again; what is not taken now either stays one. */
    synchronized void deliverHints() throws InterruptedException {
        Map<Node, List<Write>> waiting = new LinkedHashMap<>();
        for (Map.Entry<UUID, List<Write>> hint : hints.entrySet()) {
            ring.node(hint.getKey()).ifPresent(node -> waiting.put(node, List.copyOf(hint.getValue())));
        }
        for (Map.Entry<Node, Boolean> answer : send(waiting).entrySet()) {
            if (answer.getValue()) {
                hints.remove(answer.getKey().id());
            }
        }
    }

    @Override
    public void close() {
        senders.shutdownNow();
    }
}
