package io.sluice.harness.scenario;

import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.admin.Refusal;
import io.sluice.harness.cluster.NodeProcess;
import io.sluice.harness.content.RangeDigest;
import io.sluice.harness.content.StoredDigest;
import io.sluice.harness.content.TableFiles;
import io.sluice.harness.report.RunReport.Check;
import io.sluice.harness.report.RunReport.Compared;
import io.sluice.harness.report.RunReport.Held;
import io.sluice.sstable.TableDirectory;
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
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Compares contents, not transfers: every node reads the files it holds and digests each range; a dead node's are read
 * from the folder that it left. First the bytes in which the range is stored, which are the same where files or slices
 * were moved; rows are decoded of ranges that are not stored alike everywhere. Immutable.
 *
 * @param alive by id
 * @param left the data directory of each dead node, by id
 */
record ContentVerification(Map<UUID, NodeProcess> alive, Map<UUID, List<Path>> left) {
    private static final int READERS = 8;

    /**
     * What is compared of a table: on each range all who held it before, and all who hold it after.
     *
     * @param all also ranges of which the replicas are the same before and after
     * @param without who is left out
     */
    record Scope(TableRef table, Ring before, Ring after, boolean all, List<Node> without) {}

    /** Learns how far the comparison is. */
    interface Listener {
        /** So many ranges of a table are compared next. */
        default void begins(TableRef table, int ranges) {}

        /** One of them was. */
        void made(Check check);
    }

    /** What one holder can be asked. */
    private interface Reader {
        Optional<StoredDigest> stored(TokenRange range) throws IOException;

        RangeDigest rows(TokenRange range) throws IOException;
    }

    private interface Question<T> {
        T ask(Reader reader, TokenRange range) throws IOException;
    }

    /**
     * Compares; nodes read at the same time.
     *
     * @param listener is notified of each comparison as soon as it is made, on the thread that calls this
     */
    void run(List<Scope> scopes, Listener listener) throws IOException, InterruptedException {
        ExecutorService readers = Executors.newFixedThreadPool(READERS);
        try {
            Map<UUID, String> silent = silent(readers);
            Map<UUID, List<TableDirectory>> folders = foldersLeft();
            for (Scope scope : scopes) {
                Map<UUID, TableFiles> files = leftBehind(scope.table(), folders);
                Map<TokenRange, Map<String, Reader>> holders = new LinkedHashMap<>();
                for (TokenRange range : ElementaryRanges.between(scope.before(), scope.after())) {
                    Set<Node> before = ElementaryRanges.replicas(scope.before(), range);
                    Set<Node> after = ElementaryRanges.replicas(scope.after(), range);
                    scope.without().forEach(before::remove);
                    scope.without().forEach(after::remove);
                    if (scope.all() || !before.equals(after)) {
                        holders.put(range, readers(scope.table(), holders(before, after), files, silent));
                    }
                }
                listener.begins(scope.table(), holders.size());
                Map<TokenRange, Map<String, Future<Optional<StoredDigest>>>> stored =
                        ask(holders, Reader::stored, readers);
                Map<TokenRange, Map<String, Future<RangeDigest>>> rows = new LinkedHashMap<>();
                for (Map.Entry<TokenRange, Map<String, Future<Optional<StoredDigest>>>> range : stored.entrySet()) {
                    List<Held> held = stored(range.getValue());
                    Check check = check(scope, range.getKey(), Compared.FILES, held);
                    if (check.equal()) {
                        listener.made(check);
                    } else {
                        rows.putAll(ask(
                                Map.of(range.getKey(), Objects.requireNonNull(holders.get(range.getKey()))),
                                Reader::rows,
                                readers));
                    }
                }
                for (Map.Entry<TokenRange, Map<String, Future<RangeDigest>>> range : rows.entrySet()) {
                    listener.made(check(scope, range.getKey(), Compared.ROWS, held(range.getValue())));
                }
            }
        } finally {
            readers.shutdownNow();
        }
    }

    /**
     * The nodes that do not answer, with the reason. Asked first: a digest may take an hour, so a node that hangs would
     * not be found by it.
     */
    private Map<UUID, String> silent(ExecutorService threads) throws InterruptedException {
        Map<UUID, Future<?>> answers = new LinkedHashMap<>();
        alive.forEach((id, process) ->
                answers.put(id, threads.submit(() -> process.admin().status())));
        Map<UUID, String> silent = new LinkedHashMap<>();
        for (Map.Entry<UUID, Future<?>> answer : answers.entrySet()) {
            try {
                answer.getValue().get();
            } catch (ExecutionException e) {
                silent.put(answer.getKey(), reason(e));
            }
        }
        return silent;
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

    private static Check check(Scope scope, TokenRange range, Compared compared, List<Held> held) {
        return Check.of(scope.table().toString(), range.toString(), compared, held);
    }

    private Map<String, Reader> readers(
            TableRef table, Map<Node, String> holders, Map<UUID, TableFiles> files, Map<UUID, String> silent) {
        Map<String, Reader> readers = new LinkedHashMap<>();
        holders.forEach((node, name) -> {
            String reason = silent.get(node.id());
            readers.put(name, reason == null ? reader(node, table, files) : unreadable(reason));
        });
        return readers;
    }

    private static Reader unreadable(String reason) {
        return new Reader() {
            @Override
            public Optional<StoredDigest> stored(TokenRange range) {
                return Optional.empty();
            }

            @Override
            public RangeDigest rows(TokenRange range) throws IOException {
                throw new IOException(reason);
            }
        };
    }

    /** Asks all holders of all ranges, in the order of the ranges. */
    private static <T> Map<TokenRange, Map<String, Future<T>>> ask(
            Map<TokenRange, Map<String, Reader>> holders, Question<T> question, ExecutorService threads) {
        Map<TokenRange, Map<String, Future<T>>> answers = new LinkedHashMap<>();
        holders.forEach((range, readers) -> {
            Map<String, Future<T>> ofRange = new LinkedHashMap<>();
            readers.forEach((name, reader) -> ofRange.put(name, threads.submit(() -> question.ask(reader, range))));
            answers.put(range, ofRange);
        });
        return answers;
    }

    private Reader reader(Node node, TableRef table, Map<UUID, TableFiles> files) {
        NodeProcess process = alive.get(node.id());
        if (process != null) {
            return new Reader() {
                @Override
                public Optional<StoredDigest> stored(TokenRange range) throws IOException {
                    return process.admin()
                            .stored(new AdminRequests.Digest(table.id(), List.of(range)))
                            .get(0)
                            .digest();
                }

                @Override
                public RangeDigest rows(TokenRange range) throws IOException {
                    return process.admin()
                            .digests(new AdminRequests.Digest(table.id(), List.of(range)))
                            .get(0);
                }
            };
        }
        TableFiles own = files.get(node.id());
        if (own != null) {
            return new Reader() {
                @Override
                public Optional<StoredDigest> stored(TokenRange range) throws IOException {
                    return Optional.of(own.stored(range));
                }

                @Override
                public RangeDigest rows(TokenRange range) throws IOException {
                    return own.digests(List.of(range)).get(0);
                }
            };
        }
        return unreadable(node + " is not running, and has left no " + table + " (look into its logs)");
    }

    /** How all store it; who cannot say so, or cannot read it, is asked for rows. */
    private static List<Held> stored(Map<String, Future<Optional<StoredDigest>>> answers) throws InterruptedException {
        List<Held> held = new ArrayList<>();
        for (Map.Entry<String, Future<Optional<StoredDigest>>> answer : answers.entrySet()) {
            try {
                Optional<StoredDigest> stored = answer.getValue().get();
                held.add(stored.map(digest -> Held.of(answer.getKey(), digest))
                        .orElseGet(() -> Held.unreadable(answer.getKey(), "some of it may be in memory only")));
            } catch (ExecutionException e) {
                held.add(Held.unreadable(answer.getKey(), reason(e)));
            }
        }
        return held;
    }

    private static String reason(ExecutionException failed) {
        Throwable cause = failed.getCause();
        return Refusal.because(cause == null ? failed : cause).reason();
    }

    /** What all hold; who cannot read it says so in place of a digest. */
    private static List<Held> held(Map<String, Future<RangeDigest>> answers) throws InterruptedException {
        List<Held> held = new ArrayList<>();
        for (Map.Entry<String, Future<RangeDigest>> answer : answers.entrySet()) {
            try {
                held.add(Held.of(answer.getKey(), answer.getValue().get().content()));
            } catch (ExecutionException e) {
                held.add(Held.unreadable(answer.getKey(), reason(e)));
            }
        }
        return held;
    }

    /** The folders of tables that each dead node has left. */
    private Map<UUID, List<TableDirectory>> foldersLeft() throws IOException {
        Map<UUID, List<TableDirectory>> folders = new LinkedHashMap<>();
        for (Map.Entry<UUID, List<Path>> dead : left.entrySet()) {
            List<TableDirectory> own = new ArrayList<>();
            for (Path directory : dead.getValue()) {
                own.addAll(TableDirectory.find(directory));
            }
            folders.put(dead.getKey(), own);
        }
        return folders;
    }

    /** Opens the files of one table and of no other: there may be thousands. */
    private static Map<UUID, TableFiles> leftBehind(TableRef table, Map<UUID, List<TableDirectory>> folders)
            throws IOException {
        Map<UUID, TableFiles> files = new LinkedHashMap<>();
        for (Map.Entry<UUID, List<TableDirectory>> dead : folders.entrySet()) {
            for (TableDirectory folder : dead.getValue()) {
                if (folder.id().equals(table.id())) {
                    files.merge(dead.getKey(), TableFiles.of(folder), TableFiles::and);
                }
            }
        }
        return files;
    }
}
