package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.netty.SweptDisk.Fault;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The n-th operation on a disk fails, in a plan of two tables, for n = 1, 2, 3 … until the plan needs fewer: it ends,
 * what it calls installed is whole, and after a restart a second plan has everything, and nothing is left in staging.
 */
@ExtendWith(LeakCheck.class)
class DiskSweepTest {
    private static final Logger LOG = LoggerFactory.getLogger(DiskSweepTest.class);
    private static final int TABLES = 2;
    private static final long SECONDS_TO_END = 40;
    private static final int MAX_OPERATIONS = 2_000;
    private static final TokenRanges HALF = TokenRanges.of(TokenRange.of(Long.MIN_VALUE / 2, Long.MAX_VALUE / 2));

    @TempDir
    Path temp;

    /** How the tables travel. */
    enum Way {
        WHOLE,
        SLICES,
        ROWS;

        TokenRanges ranges() {
            return this == WHOLE ? TokenRanges.FULL : HALF;
        }

        String onlyRows() {
            return this == ROWS ? "it has a view" : "";
        }
    }

    private static StreamOptions options() {
        Duration soon = Duration.ofMillis(5);
        return StreamOptions.builder()
                .connectionsPerHost(2)
                .retries(new RetryPolicy(2, 10, soon, soon, soon, Duration.ofMillis(100)))
                .build();
    }

    /** Each table of one SSTable. */
    private DirectoryStore source(Path data, Way way) throws IOException {
        for (int i = 0; i < TABLES; i++) {
            new DataSetWriter(DataSet.ofBytes(i, 24 << 10), Version.NB, WriterOptions.DEFAULTS)
                    .write(TestTables.folder(data, TestTables.table(i)), 1);
        }
        DirectoryStore store = new DirectoryStore(data, TableDirectory.find(data));
        store.onlyRows = way.onlyRows();
        return store;
    }

    private static StreamPlan plan(Node source, Way way) {
        List<StreamRequest> requests = new ArrayList<>();
        for (int i = 0; i < TABLES; i++) {
            requests.add(new StreamRequest(source, TestTables.table(i), way.ranges()));
        }
        return new StreamPlan(UUID.randomUUID(), Operation.REPLACE, requests);
    }

    private static String digest(Path data, int table, TokenRanges ranges) throws IOException {
        Path folder = TestTables.folder(data, TestTables.table(table));
        List<SSTable> sstables = new ArrayList<>();
        for (Descriptor descriptor : new TableDirectory(
                        folder, "ks", "t" + table, TestTables.table(table).id())
                .descriptors()) {
            if (Files.exists(folder.resolve(descriptor.fileName(Component.TOC)))) {
                sstables.add(SSTable.open(folder, descriptor));
            }
        }
        return ContentDigest.of(sstables, ranges).toString();
    }

    /** What a sweep has met. */
    private record Tally(int cases, int complete, int operations) {}

    private Tally sweep(Way way, Fault fault, boolean isAtSource, int first, int step) throws Exception {
        Path folder = Files.createTempDirectory(temp, "source");
        DirectoryStore from = source(folder, way);
        List<String> wanted = new ArrayList<>();
        for (int i = 0; i < TABLES; i++) {
            wanted.add(digest(folder, i, way.ranges()));
        }
        int cases = 0;
        int complete = 0;
        Node self = TestTables.node("source");
        SweptDisk sourceDisk = new SweptDisk(new FileSystemDisk());
        try (StreamingNode sender = StreamingNode.start(self, options(), from, sourceDisk)) {
            for (int n = first; n <= MAX_OPERATIONS; n += step) {
                String what = fault + " at operation " + n + " of " + (isAtSource ? "the source" : "the receiver")
                        + ", " + way;
                Path data = Files.createTempDirectory(temp, "target");
                Node target = TestTables.node("target");
                SweptDisk targetDisk = new SweptDisk(new FileSystemDisk());
                SweptDisk disk = isAtSource ? sourceDisk : targetDisk;
                boolean isComplete;
                DirectoryStore to = TestTables.store(data, TABLES, 0);
                try (StreamingNode receiver = StreamingNode.start(target, options(), to, targetDisk)) {
                    disk.arm(fault, n);
                    PlanResult result = receiver.execute(plan(self, way)).get(SECONDS_TO_END, SECONDS);
                    for (int i = 0; i < TABLES; i++) {
                        if (result.tables().get(i).installed()) {
                            assertThat(digest(data, i, TokenRanges.FULL))
                                    .as("called installed: table %d, %s", i, what)
                                    .isEqualTo(wanted.get(i));
                        } else {
                            assertThat(result.tables().get(i).reason()).as(what).isNotEmpty();
                        }
                    }
                    isComplete = result.isComplete();
                    awaitEnd(sender, from, what);
                }
                disk.disarm();
                if (!disk.hasFired()) {
                    assertThat(isComplete).as(what).isTrue();
                    return new Tally(cases, complete, n - 1);
                }
                cases++;
                complete += isComplete ? 1 : 0;
                secondTry(sender, from, self, target, data, way, wanted, what);
                new LocalFiles().deleteTree(data);
            }
        }
        throw new AssertionError("more than " + MAX_OPERATIONS + " operations");
    }

    private void secondTry(
            StreamingNode sender,
            DirectoryStore from,
            Node self,
            Node target,
            Path data,
            Way way,
            List<String> wanted,
            String what)
            throws Exception {
        DirectoryStore store = new DirectoryStore(data, TableDirectory.find(data));
        try (StreamingNode receiver = StreamingNode.start(target, options(), store)) {
            PlanResult again = receiver.execute(plan(self, way)).get(SECONDS_TO_END, SECONDS);
            assertThat(again.tables())
                    .as("second try after %s", what)
                    .allMatch(PlanResult.TableResult::installed, "installed");
            awaitEnd(sender, from, what);
        }
        for (int i = 0; i < TABLES; i++) {
            assertThat(digest(data, i, TokenRanges.FULL))
                    .as("table %d after a second try, %s", i, what)
                    .isEqualTo(wanted.get(i));
        }
        try (Stream<Path> left = Files.list(store.stagingDirectory())) {
            assertThat(left.map(path -> path.getFileName().toString()))
                    .as("left in staging, %s", what)
                    .isSubsetOf("lock", "node", "complete-plans", "epochs");
        }
    }

    private static void awaitEnd(StreamingNode sender, DirectoryStore from, String what) throws Exception {
        await().alias("the source ends, " + what)
                .atMost(SECONDS_TO_END, SECONDS)
                .until(() -> sender.sending().get().isEmpty() && from.pins.get() == 0);
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    @Timeout(120)
    void a_plan_ends_truthfully_and_the_next_is_complete_wherever_the_disk_fails(Fault fault) throws Exception {
        sweep(Way.WHOLE, fault, false, 13, 67); // each of them: below
    }

    /** Rows become an SSTable at the receiver; a source prepares slices, and what stands between rows. */
    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"EIO", "FAILED_SYNC"})
    @Timeout(120)
    void what_is_made_of_rows_and_prepared_of_slices_may_fail_too(Fault fault) throws Exception {
        int step = fault == Fault.EIO ? 151 : 47; // there are fewer syncs
        assertThat(sweep(Way.ROWS, fault, false, 29, step).cases()).isPositive();
        if (fault == Fault.EIO) { // what a source prepares is not synced
            assertThat(sweep(Way.SLICES, fault, true, 17, 61).cases()).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    @Timeout(3_600)
    @Tag("soak")
    void a_plan_ends_truthfully_at_whichever_operation_the_disk_fails(Fault fault) throws Exception {
        for (Way way : Way.values()) {
            for (boolean isAtSource : new boolean[] {false, true}) {
                Tally tally = sweep(way, fault, isAtSource, 1, Integer.getInteger("sluice.sweep.step", 1));
                LOG.warn("sweep of {} at {}, {}: {}", fault, isAtSource ? "source" : "receiver", way, tally);
            }
        }
    }
}
