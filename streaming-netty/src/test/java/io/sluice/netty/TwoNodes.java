package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.Verification;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.index.PartitionCursor;
import io.sluice.sstable.index.PartitionEntry;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress.Offered;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A source that holds a copy of one fixture, and a target that holds the same table empty. */
final class TwoNodes implements AutoCloseable {
    /** Tables that Cassandra wrote, by name and version. */
    static final Path FIXTURES = Path.of("..", "sstable-format", "src", "test", "resources", "fixtures");

    final Node sourceNode = node("source");
    final Node targetNode = node("target");
    final UUID planId = UUID.randomUUID();
    final DirectoryStore sourceStore;
    final DirectoryStore targetStore;
    final StreamingNode source;
    final StreamingNode target;
    final TableRef table;
    final Path sourceDirectory;
    final Path targetDirectory;

    TwoNodes(Path temp, Path fixture) throws IOException {
        this(temp, fixture, StreamOptions.builder().connectionsPerHost(2).build());
    }

    TwoNodes(Path temp, Path fixture, StreamOptions options) throws IOException {
        this(temp, fixture, options, options);
    }

    TwoNodes(Path temp, Path fixture, StreamOptions sourceOptions, StreamOptions targetOptions) throws IOException {
        TableDirectory original = TableDirectory.find(fixture).get(0);
        table = new TableRef(original.id(), original.keyspace(), original.name());
        String name = original.path().getFileName().toString();
        sourceDirectory = Files.createDirectories(
                temp.resolve("source").resolve(table.keyspace()).resolve(name));
        targetDirectory = Files.createDirectories(
                temp.resolve("target").resolve(table.keyspace()).resolve(name));
        try (Stream<Path> files = Files.list(original.path())) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, sourceDirectory.resolve(file.getFileName()));
            }
        }
        sourceStore = new DirectoryStore(temp.resolve("source"), TableDirectory.find(temp.resolve("source")));
        targetStore = new DirectoryStore(
                temp.resolve("target"),
                List.of(new TableDirectory(targetDirectory, table.keyspace(), table.name(), table.id())));
        source = StreamingNode.start(sourceNode, sourceOptions, sourceStore);
        try {
            target = StreamingNode.start(targetNode, targetOptions, targetStore);
        } catch (IOException | RuntimeException e) {
            source.close(); // else its threads are there in every test that follows
            throw e;
        }
    }

    /** Every fixture. */
    static Stream<Path> fixtures() throws IOException {
        return Stream.concat(
                fixtures(FIXTURES, "nb", "oa", "da"),
                fixtures(FIXTURES.resolveSibling("old"), "mc", "md", "me", "na")); // 3.0 to 4.0-beta1
    }

    /** Each shape of a table once, its versions in turn. */
    static Stream<Path> fixtureOfEachShape() throws IOException {
        Map<Path, List<Path>> versions = fixtures()
                .collect(Collectors.groupingBy(Path::getParent, LinkedHashMap::new, Collectors.toUnmodifiableList()));
        AtomicInteger turn = new AtomicInteger();
        return versions.values().stream().map(shape -> shape.get(turn.getAndIncrement() % shape.size()));
    }

    private static Stream<Path> fixtures(Path folder, String... versions) throws IOException {
        try (Stream<Path> fixtures = Files.list(folder)) {
            return fixtures
                    .flatMap(fixture -> Stream.of(versions).map(fixture::resolve))
                    .filter(Files::isDirectory)
                    .sorted()
                    .toList()
                    .stream();
        }
    }

    PlanResult fetchAll() throws Exception {
        return fetch(table);
    }

    PlanResult fetch(TableRef wanted) throws Exception {
        return fetch(wanted, TokenRanges.FULL);
    }

    PlanResult fetch(TableRef wanted, TokenRanges ranges) throws Exception {
        StreamRequest request = new StreamRequest(sourceNode, wanted, ranges);
        return target.execute(new StreamPlan(planId, Operation.REPLACE, List.of(request)))
                .get(30, SECONDS);
    }

    List<SSTable> sourceSSTables() throws IOException {
        return open(sourceDirectory);
    }

    private List<SSTable> open(Path directory) throws IOException {
        List<SSTable> sstables = new java.util.ArrayList<>();
        for (Descriptor descriptor :
                new TableDirectory(directory, table.keyspace(), table.name(), table.id()).descriptors()) {
            sstables.add(SSTable.open(directory, descriptor));
        }
        sstables.sort(java.util.Comparator.comparing(SSTable::bytesOnDisk).thenComparing(SSTable::firstToken));
        return sstables;
    }

    long streamedBytes(SSTable sstable) {
        return sstable.components().stream()
                .filter(Component::isStreamed)
                .mapToLong(sstable::lengthBytes)
                .sum();
    }

    /** Ranges that begin and end at, before and between partitions of the table. */
    private static TokenRanges someOf(List<SSTable> sstables, Random random) throws IOException {
        List<Token> tokens = new ArrayList<>();
        for (SSTable sstable : sstables) {
            try (PartitionCursor cursor = sstable.partitions()) {
                for (Optional<PartitionEntry> next = cursor.next(); next.isPresent(); next = cursor.next()) {
                    tokens.add(next.get().token());
                }
            }
        }
        List<TokenRange> ranges = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            long a = tokens.get(random.nextInt(tokens.size())).value();
            long b = random.nextBoolean()
                    ? tokens.get(random.nextInt(tokens.size())).value()
                    : random.nextLong();
            ranges.add(TokenRange.of(Math.max(Math.min(a, b), Long.MIN_VALUE + 1) - 1, Math.max(a, b)));
        }
        return TokenRanges.of(ranges);
    }

    /** Fetches some ranges, and returns how. */
    List<Offered> assertMovesParts(Random random) throws Exception {
        return assertMoves(someOf(sourceSSTables(), random));
    }

    List<Offered> assertMoves(TokenRanges wanted) throws Exception {
        List<SSTable> held = sourceSSTables();
        PlanResult result = fetch(table, wanted);

        assertThat(result.tables()).allMatch(PlanResult.TableResult::installed, "installed");
        List<SSTable> received = open(targetDirectory);
        for (SSTable sstable : received) {
            assertThat(Verification.verify(sstable).problems()).isEmpty();
        }
        assertThat(ContentDigest.of(received, TokenRanges.FULL)).isEqualTo(ContentDigest.of(held, wanted));
        assertNothingIsLeftBehind();
        return result.sessions().stream()
                .flatMap(session -> session.offered().stream())
                .toList();
    }

    void assertTargetEqualsSource() throws IOException {
        List<SSTable> sent = sourceSSTables();
        List<SSTable> received = open(targetDirectory);
        assertThat(received).hasSameSizeAs(sent);
        assertThat(targetStore.live).hasSameSizeAs(sent);
        for (SSTable original : sent) {
            assertThat(received).anySatisfy(copy -> assertSameFiles(original, copy));
        }
    }

    private static void assertSameFiles(SSTable original, SSTable copy) throws IOException {
        for (Component component : original.components()) {
            if (component.isStreamed()) {
                assertThat(copy.path(component)).hasSameBinaryContentAs(original.path(component));
            }
        }
        assertThat(copy.components()).contains(Component.TOC);
    }

    void assertNothingIsLeftBehind() throws Exception {
        source.close();
        target.close();
        assertThat(sourceStore.pins).hasValue(0);
        for (DirectoryStore store : List.of(sourceStore, targetStore)) {
            try (Stream<Path> left = Files.list(store.stagingDirectory())) {
                assertThat(left.map(path -> path.getFileName().toString())
                                .filter(name -> !name.equals("complete-plans")))
                        .containsExactlyInAnyOrder("lock", "node");
            }
        }
    }

    private static Node node(String name) {
        try {
            return new Node(
                    TestTables.id(name),
                    name,
                    new Address("127.0.0.1", FreePort.onLoopback()),
                    List.of(new Token(name.hashCode())));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        source.close();
        target.close();
    }
}
