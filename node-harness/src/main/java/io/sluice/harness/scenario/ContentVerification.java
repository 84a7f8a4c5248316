package io.sluice.harness.scenario;

import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.admin.Refusal;
import io.sluice.harness.cluster.NodeProcess;
import io.sluice.harness.content.RangeDigest;
import io.sluice.harness.content.TableFiles;
import io.sluice.harness.report.RunReport.Check;
import io.sluice.harness.report.RunReport.Held;
import io.sluice.sstable.token.TokenRange;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/**
 * Compares contents, not transfers: every node reads the files it holds and digests what lies in each range; a dead
 * node's are read from the folder that it left. Immutable.
 *
 * @param alive by id
 * @param left the data directory of each dead node, by id
 */
record ContentVerification(Map<UUID, NodeProcess> alive, Map<UUID, Path> left) {
    private static final int READERS = 8;

    /**
     * What is compared of a table: on each range all who held it before, and all who hold it after.
     *
     * @param all also ranges of which the replicas are the same before and after
     * @param without who is left out
     */
    record Scope(TableRef table, Ring before, Ring after, boolean all, List<Node> without) {}

    private interface Reader {
        RangeDigest read(TokenRange range) throws IOException;
    }

    /**
     * Compares; nodes read at the same time.
     *
     * @param made is notified of each comparison as soon as it is made
     */
    void run(List<Scope> scopes, Consumer<Check> made) throws IOException, InterruptedException {
        ExecutorService readers = Executors.newFixedThreadPool(READERS);
        try {
            for (Scope scope : scopes) {
                Map<UUID, TableFiles> files = leftBehind(scope.table());
                Map<TokenRange, Map<String, Future<RangeDigest>>> asked = new LinkedHashMap<>();
                for (TokenRange range : ElementaryRanges.between(scope.before(), scope.after())) {
                    Set<Node> before = ElementaryRanges.replicas(scope.before(), range);
                    Set<Node> after = ElementaryRanges.replicas(scope.after(), range);
                    scope.without().forEach(before::remove);
                    scope.without().forEach(after::remove);
                    if (scope.all() || !before.equals(after)) {
                        asked.put(range, ask(scope.table(), range, holders(before, after), files, readers));
                    }
                }
                for (Map.Entry<TokenRange, Map<String, Future<RangeDigest>>> range : asked.entrySet()) {
                    made.accept(
                            Check.of(scope.table().toString(), range.getKey().toString(), held(range.getValue())));
                }
            }
        } finally {
            readers.shutdownNow();
        }
    }

    /** Who gave it up first, then who got it, then who has kept it. */
    private Map<Node, String> holders(Set<Node> before, Set<Node> after) {
        Set<Node> all = new LinkedHashSet<>();
        before.stream().filter(node -> !after.contains(node)).forEach(all::add);
        after.stream().filter(node -> !before.contains(node)).forEach(all::add);
        after.stream().filter(before::contains).forEach(all::add);
        Map<Node, String> names = new LinkedHashMap<>();
        for (Node node : all) {
            boolean hasIt = after.contains(node);
            names.put(node, node.name() + (hasIt ? "" : left.containsKey(node.id()) ? " (dead)" : " (before)"));
        }
        return names;
    }

    private Map<String, Future<RangeDigest>> ask(
            TableRef table,
            TokenRange range,
            Map<Node, String> holders,
            Map<UUID, TableFiles> files,
            ExecutorService readers) {
        Map<String, Future<RangeDigest>> answers = new LinkedHashMap<>();
        holders.forEach((node, name) -> {
            Reader reader = reader(node, table, files);
            answers.put(name, readers.submit(() -> reader.read(range)));
        });
        return answers;
    }

    private Reader reader(Node node, TableRef table, Map<UUID, TableFiles> files) {
        NodeProcess process = alive.get(node.id());
        if (process != null) {
            return range -> process.admin()
                    .digests(new AdminRequests.Digest(table.id(), List.of(range)))
                    .get(0);
        }
        TableFiles own = files.get(node.id());
        if (own != null) {
            return range -> own.digests(List.of(range)).get(0);
        }
        return range -> {
            throw new IOException(node + " is not running, and has left no " + table + " (look into its logs)");
        };
    }

    /** What all hold; who cannot read it says so in place of a digest. */
    private static List<Held> held(Map<String, Future<RangeDigest>> answers) throws InterruptedException {
        List<Held> held = new ArrayList<>();
        for (Map.Entry<String, Future<RangeDigest>> answer : answers.entrySet()) {
            try {
                held.add(Held.of(answer.getKey(), answer.getValue().get().content()));
            } catch (ExecutionException e) {
                Throwable cause = e.getCause();
                held.add(Held.unreadable(
                        answer.getKey(),
                        Refusal.because(cause == null ? e : cause).reason()));
            }
        }
        return held;
    }

    private Map<UUID, TableFiles> leftBehind(TableRef table) throws IOException {
        Map<UUID, TableFiles> files = new LinkedHashMap<>();
        for (Map.Entry<UUID, Path> dead : left.entrySet()) {
            for (TableFiles found : TableFiles.openAll(dead.getValue())) {
                if (found.table().equals(table)) {
                    files.put(dead.getKey(), found);
                }
            }
        }
        return files;
    }
}
