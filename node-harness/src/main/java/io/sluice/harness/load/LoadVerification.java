package io.sluice.harness.load;

import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.admin.AdminException;
import io.sluice.harness.load.LoadTable.Write;
import io.sluice.harness.store.Mutation;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the row of every acknowledged write from each of its replicas: it must be that write, or a later one.
 * Stateless.
 */
public final class LoadVerification {
    private static final int KEYS_PER_REQUEST = 1000;
    private static final int MAX_EXAMPLES = 5;

    private LoadVerification() {}

    /**
     * The result.
     *
     * @param keys that were acknowledged at least once
     * @param rowsAsked each key at each of its replicas
     * @param missing rows that are absent, older than acknowledged, or different
     * @param examples descriptions of some of them
     */
    public record Outcome(long keys, long rowsAsked, long missing, List<String> examples) {
        public Outcome {
            examples = List.copyOf(examples);
        }
    }

    /**
     * Verifies all replicas.
     *
     * @param ring after the change
     * @param clients of all its nodes
     */
    public static Outcome run(LoadTable table, Path acknowledged, Ring ring, Map<Node, AdminClient> clients)
            throws IOException {
        Collection<Write> writes = Acknowledged.read(acknowledged).values();
        long asked = 0;
        long missing = 0;
        List<String> examples = new ArrayList<>();
        for (Map.Entry<Node, AdminClient> replica : clients.entrySet()) {
            List<Write> own = writes.stream()
                    .filter(write -> ring.replicas(write.partitionKey().token()).contains(replica.getKey()))
                    .toList();
            for (int from = 0; from < own.size(); from += KEYS_PER_REQUEST) {
                List<Write> part = own.subList(from, Math.min(own.size(), from + KEYS_PER_REQUEST));
                Map<String, Write> held = read(table, replica.getValue(), part);
                for (Write write : part) {
                    if (!isKept(write, held.get(write.key()))) {
                        missing++;
                        if (examples.size() < MAX_EXAMPLES) {
                            examples.add(replica.getKey() + " has " + held.get(write.key()) + " (expected: " + write
                                    + " or a later one)");
                        }
                    }
                }
            }
            asked += own.size();
        }
        return new Outcome(writes.size(), asked, missing, examples);
    }

    /**
     * Verifies after an operation that failed for good: replicas may lack data that they were to receive, but some node
     * must have each acknowledged write.
     *
     * @param unacknowledged writes that nodes may have nevertheless: a key that a later one of them deletes may be
     *     absent
     * @param nodes all nodes; one that does not answer, or does not have the table, counts as empty
     * @throws IOException if none of them answers
     */
    public static Outcome anywhere(
            LoadTable table, Path acknowledged, Collection<Write> unacknowledged, Collection<AdminClient> nodes)
            throws IOException {
        Map<String, Write> missing = new LinkedHashMap<>(Acknowledged.read(acknowledged));
        long keys = missing.size();
        unacknowledged.stream()
                .filter(possible -> possible.value().isEmpty())
                .forEach(possible -> missing.computeIfPresent(
                        possible.key(),
                        (key, last) -> last.timestampMicros() < possible.timestampMicros() ? null : last));
        long asked = 0;
        IOException silent = new IOException("no node that could have the writes answers: " + table.ref());
        boolean doesAnyAnswer = false;
        for (AdminClient node : nodes) {
            List<Write> wanted = List.copyOf(missing.values());
            try {
                for (int from = 0; from < wanted.size(); from += KEYS_PER_REQUEST) {
                    List<Write> part = wanted.subList(from, Math.min(wanted.size(), from + KEYS_PER_REQUEST));
                    Map<String, Write> held = read(table, node, part);
                    part.stream()
                            .filter(write -> isKept(write, held.get(write.key())))
                            .forEach(write -> missing.remove(write.key()));
                }
                asked += wanted.size();
                doesAnyAnswer = true;
            } catch (AdminException e) {
                silent.addSuppressed(e);
            }
        }
        if (!doesAnyAnswer) {
            throw silent;
        }
        List<String> examples = missing.values().stream()
                .limit(MAX_EXAMPLES)
                .map(write -> "no node has " + write + " or a later one")
                .toList();
        return new Outcome(keys, asked, missing.size(), examples);
    }

    private static boolean isKept(Write acknowledged, @org.jspecify.annotations.Nullable Write held) {
        if (held == null) {
            return acknowledged.value().isEmpty();
        }
        return held.timestampMicros() > acknowledged.timestampMicros() || held.equals(acknowledged);
    }

    private static Map<String, Write> read(LoadTable table, AdminClient client, List<Write> wanted) throws IOException {
        List<String> keys = wanted.stream().map(Write::key).toList();
        Map<String, Write> held = new HashMap<>();
        for (Mutation found : LoadTable.CODEC.readAll(client.read(table.ref().id(), keys))) {
            Write.of(found).ifPresent(write -> held.put(write.key(), write));
        }
        return held;
    }
}
