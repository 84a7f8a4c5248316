package io.sluice.harness.scenario;

import io.sluice.harness.admin.DigestOrder;
import io.sluice.harness.admin.Refusal;
import io.sluice.harness.cluster.NodeProcess;
import io.sluice.harness.content.RangeDigest;
import io.sluice.harness.content.TableFiles;
import io.sluice.harness.report.ReplaceReport.Check;
import io.sluice.harness.report.ReplaceReport.Held;
import io.sluice.sstable.token.TokenRange;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/**
 * Compares contents, not transfers: every node reads the files it holds and digests what lies in each range; the dead
 * node's are read from the folder that it left. Immutable.
 *
 * @param ring with the dead node in it
 * @param deadData the dead node's data directory
 */
record Verification(Ring ring, Node dead, Path deadData, NodeProcess replacement, List<NodeProcess> survivors) {
    /** Somebody who holds some ranges, and the way to read them. */
    private record Holder(String name, List<TokenRange> ranges, Reader reader) {}

    private interface Reader {
        RangeDigest read(TokenRange range) throws IOException;
    }

    /**
     * Compares each range that the dead node held, of each table; all nodes read at the same time.
     *
     * @param made is told each comparison as soon as it is made
     */
    void run(List<TableRef> tables, Consumer<Check> made) throws IOException, InterruptedException {
        ExecutorService readers = Executors.newFixedThreadPool(survivors.size() + 2);
        try {
            for (TableRef table : tables) {
                List<Holder> holders = holders(table);
                Map<TokenRange, Map<String, Future<RangeDigest>>> asked = new LinkedHashMap<>();
                for (TokenRange range : rangesOf(dead)) {
                    asked.put(range, ask(holders, range, readers));
                }
                for (Map.Entry<TokenRange, Map<String, Future<RangeDigest>>> range : asked.entrySet()) {
                    made.accept(Check.of(table.toString(), range.getKey().toString(), held(range.getValue())));
                }
            }
        } finally {
            readers.shutdownNow();
        }
    }

    private static Map<String, Future<RangeDigest>> ask(
            List<Holder> holders, TokenRange range, ExecutorService readers) {
        Map<String, Future<RangeDigest>> answers = new LinkedHashMap<>();
        for (Holder holder : holders) {
            if (holder.ranges().contains(range)) {
                answers.put(holder.name(), readers.submit(() -> holder.reader().read(range)));
            }
        }
        return answers;
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

    private List<Holder> holders(TableRef table) throws IOException {
        List<Holder> holders = new ArrayList<>();
        TableFiles left = leftBehind(table);
        holders.add(new Holder(dead.name() + " (dead)", rangesOf(dead), range -> only(left.digests(List.of(range)))));
        holders.add(
                new Holder(replacement.node().name(), rangesOf(dead), range -> only(ask(replacement, table, range))));
        for (NodeProcess survivor : survivors) {
            holders.add(new Holder(
                    survivor.node().name(), rangesOf(survivor.node()), range -> only(ask(survivor, table, range))));
        }
        return holders;
    }

    private List<TokenRange> rangesOf(Node node) {
        return ring.ranges().stream()
                .filter(range -> ring.replicas(range).contains(node))
                .toList();
    }

    private TableFiles leftBehind(TableRef table) throws IOException {
        for (TableFiles files : TableFiles.openAll(deadData)) {
            if (files.table().equals(table)) {
                return files;
            }
        }
        throw new IOException(table + " is not in " + deadData + " (expected: what " + dead + " held)");
    }

    private static List<RangeDigest> ask(NodeProcess node, TableRef table, TokenRange range) throws IOException {
        return node.admin().digests(new DigestOrder(table.id(), List.of(range)));
    }

    private static RangeDigest only(List<RangeDigest> digests) {
        return digests.get(0);
    }
}
