package io.sluice.netty;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;

/**
 * A source in a process with little memory. Arguments: its data directory, how many tables it has,
 * {@code streaming_memory} in bytes, its id and port. Prints {@code ready}; for each line of its input {@code queue
 * NAME USED LIMIT} of each queue and {@code heap BYTES} after a collection, then {@code end}; ends with its input.
 */
final class SourceProcess {
    private SourceProcess() {}

    public static void main(String[] arguments) throws Exception {
        StreamOptions options = StreamOptions.builder()
                .memoryBytes(Long.parseLong(arguments[2]))
                .build();
        var self = TestTables.node(UUID.fromString(arguments[3]), "source", Integer.parseInt(arguments[4]));
        var store = TestTables.store(Path.of(arguments[0]), Integer.parseInt(arguments[1]), 0);
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (StreamingNode node = StreamingNode.start(self, options, store)) {
            System.out.println("ready");
            while (commands.readLine() != null) {
                node.queues()
                        .forEach(queue ->
                                System.out.println("queue " + queue.name() + " " + queue.used() + " " + queue.limit()));
                System.gc();
                Runtime runtime = Runtime.getRuntime();
                System.out.println("heap " + (runtime.totalMemory() - runtime.freeMemory()));
                System.out.println("end");
            }
        }
    }
}
