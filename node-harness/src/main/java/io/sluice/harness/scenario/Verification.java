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

/**
 * Compares contents, not transfers: every node reads the files it holds and digests what lies in each range; the dead
 * node's are read from the folder that it left. Immutable.
 *
 * @param ring with the dead node in it
 * @param deadData the dead node's data directory
 */
record Verification(Ring ring, Node dead, Path deadData, NodeProcess replacement, List<NodeProcess> survivors) {
    /** Digests what somebody holds of some ranges, in their order. */
    private interface Reader {
        List<RangeDigest> read(List<TokenRange> ranges) throws IOException;
    }

    private record Holder(String name, List<TokenRange> ranges, Reader reader) {}

    /** One comparison for each table and each range that the dead node held. */
    List<Check> run(List<TableRef> tables) throws IOException, InterruptedException {
        ExecutorService readers = Executors.newFixedThreadPool(survivors.size() + 2);
        try {
            List<Check> checks = new ArrayList<>();
            for (TableRef table : tables) {
                Map<TokenRange, List<Held>> held = read(holders(table), readers);
                held.forEach((range, all) -> checks.add(check(table, range, all)));
            }
            return checks;
        } finally {
            readers.shutdownNow();
        }
    }

    private static Check check(TableRef table, TokenRange range, List<Held> held) {
        boolean equal = held.stream().map(Held::content).distinct().count() == 1
                && held.stream().allMatch(Held::isReadable);
        return new Check(table.toString(), range.toString(), equal, held);
    }

    private List<Holder> holders(TableRef table) throws IOException {
        List<TokenRange> lost = rangesOf(dead);
        List<Holder> holders = new ArrayList<>();
        holders.add(new Holder(dead.name() + " (dead)", lost, ranges -> readDead(table, ranges)));
        holders.add(new Holder(replacement.node().name(), lost, ranges -> ask(replacement, table, ranges)));
        for (NodeProcess survivor : survivors) {
            List<TokenRange> shared = new ArrayList<>(rangesOf(survivor.node()));
            shared.retainAll(lost);
            holders.add(new Holder(survivor.node().name(), shared, ranges -> ask(survivor, table, ranges)));
        }
        return holders;
    }

    private List<TokenRange> rangesOf(Node node) {
        return ring.ranges().stream()
                .filter(range -> ring.replicas(range).contains(node))
                .toList();
    }

    private List<RangeDigest> readDead(TableRef table, List<TokenRange> ranges) throws IOException {
        for (TableFiles files : TableFiles.openAll(deadData)) {
            if (files.table().equals(table)) {
                return files.digests(ranges);
            }
        }
        throw new IOException(table + " is not in " + deadData);
    }

    private static List<RangeDigest> ask(NodeProcess node, TableRef table, List<TokenRange> ranges) throws IOException {
        return node.admin().digests(new DigestOrder(table.id(), ranges));
    }

    private static String reason(ExecutionException e) {
        Throwable cause = e.getCause();
        return Refusal.because(cause == null ? e : cause).reason();
    }

    /** What all hold, by range; all read at the same time. Who cannot read it says so in place of a digest. */
    private static Map<TokenRange, List<Held>> read(List<Holder> holders, ExecutorService readers)
            throws InterruptedException {
        Map<Holder, Future<List<RangeDigest>>> answers = new LinkedHashMap<>();
        for (Holder holder : holders) {
            answers.put(holder, readers.submit(() -> holder.reader().read(holder.ranges())));
        }
        Map<TokenRange, List<Held>> held = new LinkedHashMap<>();
        for (Map.Entry<Holder, Future<List<RangeDigest>>> answer : answers.entrySet()) {
            Holder holder = answer.getKey();
            try {
                for (RangeDigest digest : answer.getValue().get()) {
                    held.computeIfAbsent(digest.range(), range -> new ArrayList<>())
                            .add(Held.of(holder.name(), digest.content()));
                }
            } catch (ExecutionException e) {
                for (TokenRange range : holder.ranges()) {
                    held.computeIfAbsent(range, any -> new ArrayList<>())
                            .add(Held.unreadable(holder.name(), reason(e)));
                }
            }
        }
        return held;
    }
}
