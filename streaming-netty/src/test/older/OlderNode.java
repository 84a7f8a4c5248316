import io.sluice.netty.StreamOptions;
import io.sluice.netty.StreamingNode;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.SSTableSpan;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A node of the version before, on the frozen jar beside this file; started from source, since the API of that version is
 * no longer there to be compiled against. Arguments: name, port, data directory with one table. It sends until its input
 * ends; with four more arguments, name and port of a source, id of a plan, {@code START:END} of a token range or
 * {@code full}, it fetches: prints {@code spans COUNT}, {@code bytes RECEIVED} now and then, and {@code result COMPLETE}.
 */
class OlderNode {
    public static void main(String[] arguments) throws Exception {
        Store store = new Store(Path.of(arguments[2]));
        StreamOptions options = StreamOptions.builder().connectionsPerHost(2).build();
        try (StreamingNode node = StreamingNode.start(node(arguments[0], arguments[1]), options, store)) {
            System.out.println("ready");
            if (arguments.length == 3) {
                System.in.transferTo(System.out);
            } else {
                fetch(node, store.table(), arguments);
            }
        }
    }

    private static void fetch(StreamingNode node, TableRef table, String[] arguments) throws Exception {
        Node source = node(arguments[3], arguments[4]);
        UUID plan = UUID.fromString(arguments[5]);
        TokenRanges wanted = ranges(arguments[6]);
        Map<TableRef, List<SSTableSpan>> spans = node.spans(source, Map.of(table, wanted)).get();
        System.out.println("spans " + spans.get(table).size());
        CompletableFuture<PlanResult> result = node.execute(
                new StreamPlan(plan, Operation.REPLACE, List.of(new StreamRequest(source, table, wanted))));
        while (!result.isDone()) {
            for (SessionProgress session : node.progress(plan).get()) {
                System.out.println("bytes " + session.bytesReceived());
            }
            Thread.sleep(10);
        }
        System.out.println("result " + result.get().isComplete() + " " + result.get().tables());
    }

    private static TokenRanges ranges(String text) {
        if (text.equals("full")) {
            return TokenRanges.FULL;
        }
        String[] ends = text.split(":");
        return TokenRanges.of(TokenRange.of(Long.parseLong(ends[0]), Long.parseLong(ends[1])));
    }

    private static Node node(String name, String port) {
        UUID id = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
        return new Node(id, name, new Address("127.0.0.1", Integer.parseInt(port)), List.of());
    }

    private record Pinned(TableRef table, List<SSTable> sstables) implements PinnedTable {
        @Override
        public void close() {}
    }

    private static final class Store implements TableStore {
        private final AtomicInteger ids = new AtomicInteger(1_000);
        private final Path data;
        private final TableDirectory directory;

        Store(Path data) throws IOException {
            this.data = data;
            this.directory = TableDirectory.find(data).get(0);
        }

        TableRef table() {
            return new TableRef(directory.id(), directory.keyspace(), directory.name());
        }

        @Override
        public Optional<TableRef> table(UUID tableId) {
            return Optional.of(table()).filter(table -> table.id().equals(tableId));
        }

        @Override
        public PinnedTable pin(UUID planId, TableRef table, TokenRanges ranges) throws IOException {
            List<SSTable> sstables = new ArrayList<>();
            for (Descriptor descriptor : directory.descriptors()) {
                sstables.add(SSTable.open(directory.path(), descriptor));
            }
            return new Pinned(table, sstables);
        }

        @Override
        public Path liveDirectory(TableRef table) {
            return directory.path();
        }

        @Override
        public Path stagingDirectory() {
            return data.resolve("staging");
        }

        @Override
        public SSTableId newId(TableRef table) {
            return new SSTableId.Sequence(ids.incrementAndGet());
        }

        @Override
        public void goLive(UUID installId, TableRef table, List<Descriptor> sstables) {}
    }
}
