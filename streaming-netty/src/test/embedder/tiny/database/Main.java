package tiny.database;

import io.sluice.netty.StreamOptions;
import io.sluice.netty.StreamingNode;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Streams one table between two nodes of this process, as rows, which the target decodes and compresses anew. Arguments:
 * the folder that has {@code source/live}, two free ports. Prints whether all is there, and how the bytes left.
 */
public final class Main {
    private static final TableRef TABLE = new TableRef(new UUID(1, 1), "ks", "t");

    private Main() {}

    private record Store(Path root, AtomicInteger ids) implements TableStore {
        @Override
        public Optional<TableRef> table(UUID id) {
            return id.equals(TABLE.id()) ? Optional.of(TABLE) : Optional.empty();
        }

        @Override
        public PinnedTable pin(UUID plan, TableRef table, TokenRanges ranges) throws IOException {
            try (Stream<Path> files = Files.list(liveDirectory(table))) {
                return new Pin(files.filter(file -> file.toString().endsWith("-Data.db")).toList());
            }
        }

        @Override
        public Path liveDirectory(TableRef table) throws IOException {
            return Files.createDirectories(root.resolve("live"));
        }

        @Override
        public Path stagingDirectory() {
            return root.resolve("staging");
        }

        @Override
        public String newId(TableRef table) {
            return String.valueOf(ids.incrementAndGet());
        }

        @Override
        public void activate(UUID install, TableRef table, List<Path> dataFiles) {
            System.out.println("activated " + dataFiles.size());
        }
    }

    private record Pin(List<Path> sstables) implements PinnedTable {
        @Override
        public TableRef table() {
            return TABLE;
        }

        @Override
        public void close() {}
    }

    private static Node node(String name, String port) {
        Address address = new Address("127.0.0.1", Integer.parseInt(port));
        return new Node(UUID.nameUUIDFromBytes(name.getBytes()), name, address, List.of(new Token(name.hashCode())));
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        Node source = node("source", arguments[1]);
        StreamOptions rows = StreamOptions.builder()
                .streamEntireSSTables(false)
                .streamSlices(false)
                .build();
        Store from = new Store(folder.resolve("source"), new AtomicInteger(1_000));
        Store to = new Store(folder.resolve("target"), new AtomicInteger(2_000));
        try (StreamingNode sender = StreamingNode.start(source, rows, from);
                StreamingNode receiver = StreamingNode.start(node("target", arguments[2]), rows, to)) {
            StreamRequest all = new StreamRequest(source, TABLE, TokenRanges.FULL);
            StreamPlan plan = new StreamPlan(UUID.randomUUID(), Operation.BOOTSTRAP, List.of(all));
            PlanResult result = receiver.execute(plan).get();
            System.out.println(
                    (result.isComplete() ? "complete" : result.tables()) + " by " + sender.transport() + " in "
                            + StreamingNode.class.getModule().getName());
        }
    }
}
