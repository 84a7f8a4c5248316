package io.sluice.netty;

import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.ring.Node;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A node in a process of its own whose disk fails at the call that it is given: its standard input says so, a command
 * to a line, and each is answered by one. Argument: its name.
 *
 * <pre>
 * start DATA PORT FAULT N SLICES   starts the node; "started", or "refused WHY"
 * fetch NAME PORT                  fetches the two tables from there; "result INSTALLED0 INSTALLED1 WHY [MODES]", or
 *                                  "hangs"
 * fired                            "fired true" once that call has failed
 * unpinned                         "unpinned TABLE…": those that a receiver has said are installed there
 * stop                             "stopped"
 * </pre>
 */
final class SweepProcess {
    /** What is asked of the second table: of each of its two SSTables, which share no token, a part. */
    static final TokenRanges HALF = TokenRanges.of(TokenRange.of(Long.MIN_VALUE / 2, Long.MAX_VALUE / 2));

    private static final long MOST_SECONDS = 60;

    private SweepProcess() {}

    public static void main(String[] arguments) throws Exception {
        String name = arguments[0];
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        StreamingNode node = null;
        DirectoryStore store = null;
        SweptDisk disk = new SweptDisk(new FileSystemDisk());
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.split(" ", -1);
            switch (words[0]) {
                case "start" -> {
                    disk = new SweptDisk(new FileSystemDisk());
                    disk.arm(SweptDisk.Fault.valueOf(words[3]), Integer.parseInt(words[4]));
                    try {
                        Path data = Path.of(words[1]);
                        store = new DirectoryStore(data, TableDirectory.find(data));
                        node = start(name, words, store, disk);
                        System.out.println("started");
                    } catch (IOException e) {
                        System.out.println("refused " + e.getMessage());
                    }
                }
                case "fetch" ->
                    System.out.println(node == null ? "result false false not started" : fetch(node, words));
                case "unpinned" ->
                    System.out.println("unpinned "
                            + (store == null
                                    ? List.of()
                                    : store.calls.stream()
                                            .filter(call -> call.startsWith("unpin "))
                                            .toList()));
                case "fired" -> System.out.println("fired " + disk.hasFired());
                default -> {
                    if (node != null) {
                        node.close();
                        node = null;
                    }
                    System.out.println("stopped");
                }
            }
        }
    }

    private static StreamingNode start(String name, String[] words, DirectoryStore store, SweptDisk disk)
            throws IOException {
        StreamOptions options = StreamOptions.builder()
                .connectionsPerHost(1)
                .retries(CutAnywhereTest.ONCE)
                .streamSlices(Boolean.parseBoolean(words[5]))
                .build();
        return StreamingNode.start(NodeProcess.node(name, Integer.parseInt(words[2])), options, store, disk);
    }

    /** How SSTables travelled, as far as there were offers. */
    private static SortedSet<TransferMode> modes(PlanResult result) {
        SortedSet<TransferMode> modes = new TreeSet<>();
        result.sessions().forEach(session -> session.offered().forEach(offer -> modes.add(offer.mode())));
        return modes;
    }

    private static String fetch(StreamingNode node, String[] words) throws Exception {
        Node source = NodeProcess.node(words[1], Integer.parseInt(words[2]));
        StreamPlan plan = new StreamPlan(
                UUID.randomUUID(),
                Operation.REPLACE,
                List.of(
                        new StreamRequest(source, TestTables.table(0), TokenRanges.FULL),
                        new StreamRequest(source, TestTables.table(1), HALF)));
        try {
            PlanResult result = node.execute(plan).get(MOST_SECONDS, TimeUnit.SECONDS);
            StringBuilder said = new StringBuilder("result");
            StringBuilder why = new StringBuilder();
            for (PlanResult.TableResult table : result.tables()) {
                said.append(' ').append(table.installed());
                why.append(' ').append(table.reason().replace('\n', ' '));
            }
            return said.append(why).append(' ').append(modes(result)).toString();
        } catch (TimeoutException e) {
            return "hangs";
        }
    }
}
