package io.sluice.netty;

import static io.sluice.tools.Waiting.await;

import io.sluice.streaming.progress.StreamActivity.QueueSample;
import io.sluice.streaming.ring.Node;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * A receiver in a process with little memory. Arguments: its data directory, how many tables it has,
 * {@code streaming_memory} in bytes, id and port of the source. It fetches each table by a plan of its own, all at
 * once, and prints {@code queue NAME MOST LIMIT} of each queue and {@code result} with the number of plans that are
 * complete.
 */
final class SmallProcess {
    private static final int CONNECTIONS = 4;

    private SmallProcess() {}

    public static void main(String[] arguments) throws Exception {
        int tables = Integer.parseInt(arguments[1]);
        StreamOptions options = StreamOptions.builder()
                .connectionsPerHost(CONNECTIONS)
                .memoryBytes(Long.parseLong(arguments[2]))
                .build();
        Node source = TestTables.node(UUID.fromString(arguments[3]), "source", Integer.parseInt(arguments[4]));
        Map<String, QueueSample> most = new HashMap<>();
        try (StreamingNode node = StreamingNode.start(
                TestTables.node("small"), options, TestTables.store(Path.of(arguments[0]), tables, 0))) {
            List<CompletableFuture<Boolean>> results = new ArrayList<>();
            for (int table = 0; table < tables; table++) {
                results.add(node.execute(TestTables.plan(source, table)).thenApply(result -> {
                    if (!result.isComplete()) {
                        System.out.println(result.tables());
                    }
                    return result.isComplete();
                }));
            }
            await().forever().until(() -> {
                node.queues().forEach(now -> most.merge(now.name(), now, (a, b) -> a.used() > b.used() ? a : b));
                return results.stream().allMatch(CompletableFuture::isDone);
            });
            most.values()
                    .forEach(queue ->
                            System.out.println("queue " + queue.name() + " " + queue.used() + " " + queue.limit()));
            System.out.println(
                    "result " + results.stream().filter(CompletableFuture::join).count());
        }
    }
}
