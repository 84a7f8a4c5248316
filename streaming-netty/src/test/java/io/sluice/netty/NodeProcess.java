package io.sluice.netty;

import static io.sluice.tools.Waiting.await;

import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.Limit;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SendingProgress;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * A node in a process of its own, for tests that kill it. Arguments: its name, its port, its data directory, bytes per
 * second that it sends; to receive also the name and port of a source. A receiver prints {@code bytes RECEIVED RESUMED
 * TOTAL} now and then, and {@code result COMPLETE} at the end.
 */
final class NodeProcess {
    static final UUID PLAN = new UUID(77, 77);
    private static final long SAMPLE_MILLIS = 10;

    private NodeProcess() {}

    static Node node(String name, int port) {
        return new Node(
                UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)),
                name,
                new Address("127.0.0.1", port),
                List.of());
    }

    public static void main(String[] arguments) throws Exception {
        Path data = Path.of(arguments[2]);
        List<TableDirectory> directories = TableDirectory.find(data);
        StreamOptions options = StreamOptions.builder()
                .connectionsPerHost(1)
                .throughput(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, Long.parseLong(arguments[3]))
                .build();
        try (StreamingNode node = StreamingNode.start(
                node(arguments[0], Integer.parseInt(arguments[1])), options, new DirectoryStore(data, directories))) {
            System.out.println("ready");
            if (arguments.length == 4) {
                send(node);
            }
            TableDirectory directory = directories.get(0);
            StreamRequest request = new StreamRequest(
                    node(arguments[4], Integer.parseInt(arguments[5])),
                    new TableRef(directory.id(), directory.keyspace(), directory.name()),
                    TokenRanges.FULL);
            CompletableFuture<PlanResult> result =
                    node.execute(new StreamPlan(PLAN, Operation.REPLACE, List.of(request)));
            await().forever().pollInterval(Duration.ofMillis(SAMPLE_MILLIS)).until(() -> {
                sample(node.progress(PLAN).get());
                return result.isDone();
            });
            sample(result.get().sessions());
            System.out.println(
                    "result " + result.get().isComplete() + " " + result.get().tables());
        }
    }

    /** Until it is killed; prints {@code sent BYTES}, of all sessions together, as it changes. */
    private static void send(StreamingNode node) throws Exception {
        long before = 0; // of sessions that are over
        long last = 0;
        while (true) {
            long now = 0;
            for (SendingProgress session : node.sending().get()) {
                now += session.bytesSent();
            }
            if (now < last) {
                before += last;
            }
            if (now != last) {
                System.out.println("sent " + (before + now));
            }
            last = now;
            Thread.sleep(SAMPLE_MILLIS); // there is nothing to wait for
        }
    }

    private static void sample(List<SessionProgress> sessions) {
        sessions.forEach(session -> System.out.println(
                "bytes " + session.bytesReceived() + " " + session.bytesResumed() + " " + session.bytesTotal()));
    }
}
