package io.sluice.harness.load;

import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.load.LoadTable.Write;
import io.sluice.harness.store.Mutation;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Asks every replica of every acknowledged write for its row: it must have that write, or a later one. Stateless. */
public final class LoadVerification {
    private static final int KEYS_PER_REQUEST = 1000;
    private static final int MAX_EXAMPLES = 5;

    private LoadVerification() {}

    /**
     * What was found.
     *
     * @param keys that were acknowledged at least once
     * @param rowsAsked each key at each of its replicas
     * @param missing rows that are not there, older than acknowledged, or different
     * @param examples some of them, in words
     */
    public record Outcome(long keys, long rowsAsked, long missing, List<String> examples) {
        public Outcome {
            examples = List.copyOf(examples);
        }
    }

    /**
     * Compares.
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
