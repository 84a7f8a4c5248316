package io.sluice.netty;

import static io.sluice.tools.Waiting.await;

import io.sluice.streaming.Limit;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * A node in a process of its own that does what its standard input says, a command to a line, and answers by lines.
 * Arguments: its data directory, how many tables it has, its port, the bytes per second that it takes, id and port of
 * the source.
 *
 * <pre>
 * begin FROM TO   fetches tables FROM to TO by a plan of its own each; "begun" when bytes of each come, or it has ended
 * end FROM TO     waits for them; "complete TABLE" or "failed TABLE WHY" for each, then "ended"
 * fast            lifts the limit; "done"
 * </pre>
 */
final class CommandedProcess {
    private CommandedProcess() {}

    public static void main(String[] arguments) throws Exception {
        int tables = Integer.parseInt(arguments[1]);
        Node self = TestTables.node(UUID.nameUUIDFromBytes(new byte[1]), "commanded", Integer.parseInt(arguments[2]));
        StreamOptions options = StreamOptions.builder()
                .connectionsPerHost(1)
                .retries(CutAnywhereTest.ONCE)
                .throughput(Limit.STREAM_THROUGHPUT_INBOUND, Long.parseLong(arguments[3]))
                .build();
        Node source = TestTables.node(UUID.fromString(arguments[4]), "source", Integer.parseInt(arguments[5]));
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (StreamingNode node =
                StreamingNode.start(self, options, TestTables.store(Path.of(arguments[0]), tables, 0))) {
            System.out.println("ready");
            Map<Integer, CompletableFuture<PlanResult>> plans = new HashMap<>();
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                String[] words = line.split(" ", -1);
                switch (words[0]) {
                    case "begin" -> begin(node, source, numbers(words), plans);
                    case "end" -> end(numbers(words), plans);
                    default -> {
                        node.throughput(Limit.STREAM_THROUGHPUT_INBOUND, 0);
                        System.out.println("done");
                    }
                }
            }
        }
    }

    private static List<Integer> numbers(String[] words) {
        List<Integer> numbers = new ArrayList<>();
        for (int i = Integer.parseInt(words[1]); i <= Integer.parseInt(words[2]); i++) {
            numbers.add(i);
        }
        return numbers;
    }

    private static void begin(
            StreamingNode node, Node source, List<Integer> tables, Map<Integer, CompletableFuture<PlanResult>> plans)
            throws Exception {
        Map<UUID, CompletableFuture<PlanResult>> begun = new HashMap<>();
        for (int table : tables) {
            var plan = TestTables.plan(source, table);
            CompletableFuture<PlanResult> result = node.execute(plan);
            plans.put(table, result);
            begun.put(plan.id(), result);
        }
        for (var plan : begun.entrySet()) {
            await().until(() -> plan.getValue().isDone()
                    || node.progress(plan.getKey()).get().stream().anyMatch(session -> session.bytesReceived() > 0));
        }
        System.out.println("begun");
    }

    private static void end(List<Integer> tables, Map<Integer, CompletableFuture<PlanResult>> plans) throws Exception {
        for (int table : tables) {
            PlanResult result =
                    Objects.requireNonNull(plans.get(table), "begun before").get();
            System.out.println(
                    result.isComplete()
                            ? "complete " + table
                            : "failed " + table + " " + result.tables().get(0).reason());
        }
        System.out.println("ended");
    }
}
