package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.install.ForwardingDisk;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a source prepares for a receiver takes room of its own disk: it is reserved before anything is written. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class SourceRoomTest {
    private static final TokenRanges QUARTER = TokenRanges.of(TokenRange.of(Long.MIN_VALUE, Long.MIN_VALUE / 2));

    @TempDir
    Path temp;

    /** A disk on which nothing is left beyond what is headroom for the database. */
    private record FullDisk(Disk real) implements ForwardingDisk {
        @Override
        public long usableBytes(Path directory) {
            return 1 << 20;
        }
    }

    private long slices() throws IOException {
        try (Stream<Path> files = Files.walk(temp.resolve("source"))) {
            return files.filter(file -> file.toString().contains("slices-")).count();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_source_whose_disk_is_full_prepares_no_part_of_an_sstable(boolean asSlices) throws Exception {
        Node self = TestTables.node("source");
        StreamOptions options = StreamOptions.builder().streamSlices(asSlices).build();
        try (StreamingNode source = StreamingNode.start(
                        self,
                        options,
                        TestTables.store(temp.resolve("source"), 1, 1 << 20),
                        new FullDisk(new FileSystemDisk()));
                StreamingNode receiver = StreamingNode.start(
                        TestTables.node("receiver"),
                        StreamOptions.builder().build(),
                        TestTables.store(temp.resolve("receiver"), 1, 0))) {
            StreamPlan plan = new StreamPlan(
                    UUID.randomUUID(),
                    Operation.REPLACE,
                    List.of(new StreamRequest(self, TestTables.table(0), QUARTER)));

            PlanResult result = receiver.execute(plan).get(30, SECONDS);

            assertThat(result.tables().get(0).reason())
                    .startsWith("SOURCE_DISK_FULL: ")
                    .contains("session with source: the disk of the source is full: ")
                    .contains("are needed")
                    .doesNotContain("the receiver");
            assertThat(source.pins().open()).isZero();
            assertThat(slices()).isZero();
        }
    }

    @Test
    void a_source_whose_disk_is_full_sends_whole_sstables_as_it_writes_nothing_for_them() throws Exception {
        Node self = TestTables.node("source");
        StreamOptions options = StreamOptions.builder().build();
        try (StreamingNode source = StreamingNode.start(
                        self,
                        options,
                        TestTables.store(temp.resolve("source"), 1, 1 << 20),
                        new FullDisk(new FileSystemDisk()));
                StreamingNode receiver = StreamingNode.start(
                        TestTables.node("receiver"), options, TestTables.store(temp.resolve("receiver"), 1, 0))) {
            PlanResult result = receiver.execute(TestTables.plan(self, 0)).get(30, SECONDS);

            assertThat(result.tables()).allMatch(PlanResult.TableResult::installed, "installed");
            assertThat(source.counters().bytesSent()).isPositive();
        }
    }

    @Test
    void a_source_prepares_nothing_for_a_receiver_that_has_no_room_for_it() throws Exception {
        Node self = TestTables.node("source");
        DirectoryStore store = TestTables.store(temp.resolve("source"), 1, 1 << 20);
        try (StreamingNode source =
                        StreamingNode.start(self, StreamOptions.builder().build(), store);
                StreamingNode receiver = StreamingNode.start(
                        TestTables.node("receiver"),
                        StreamOptions.builder().build(),
                        TestTables.store(temp.resolve("receiver"), 1, 0),
                        new FullDisk(new FileSystemDisk()))) {
            StreamPlan plan = new StreamPlan(
                    UUID.randomUUID(),
                    Operation.REPLACE,
                    List.of(new StreamRequest(self, TestTables.table(0), QUARTER)));

            PlanResult result = receiver.execute(plan).get(30, SECONDS);

            assertThat(result.tables().get(0).reason())
                    .startsWith("DISK_FULL: ")
                    .contains("would be sent, but the receiver has space for 0")
                    .contains("the receiver had granted 0 bytes in " + temp.resolve("receiver"));
            assertThat(source.counters().bytesSent()).isZero();
            assertThat(slices()).isZero();
        }
    }
}
