package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Slices of SSTables on slow disks: one simulated SSTable, of some hundred bytes, stands for 4 GB, which a disk of 138
 * MB/s reads or writes in 29 s; so 2,500 of them are 10 TB, and take 20 hours of virtual time.
 */
class TenTerabytesTest {
    private static final int TEN_TERABYTES = 2_500;
    private static final int SOME = 100;
    private static final Duration TIME_OF_4_GB = Duration.ofSeconds(29);
    private static final int FIRST_UNWANTED = 100_000;
    private static final RetryPolicy ONCE = new RetryPolicy(1, 1, TIME_OF_4_GB, TIME_OF_4_GB);

    /** A source with a table of which the receiver wants a part of each SSTable. */
    private static final class Slow implements AutoCloseable {
        final TwoEngines cluster = new TwoEngines(1, 0, ONCE);
        final TableRef table = cluster.tables.get(0);
        final StreamPlan plan;
        OrderedPlan running;
        long mostTemporaryBytes;

        Slow(int sstables) {
            TokenRanges wanted = TokenRanges.of(TokenRange.of(-1, FIRST_UNWANTED - 1));
            Map<Long, Integer> visible = new HashMap<>();
            for (int i = 0; i < sstables; i++) {
                List<SimulatedRow> rows = rows(i);
                cluster.sourceTables.add(table.id(), rows);
                visible.putAll(Rows.visible(rows));
            }
            cluster.world.oracle.isTrue(table.id(), visible);
            plan = new StreamPlan(
                    cluster.world.newUuid(),
                    Operation.REPLACE,
                    List.of(new StreamRequest(cluster.source.node, table, wanted)));
            running = cluster.execute(plan);
        }

        /** The second one is not wanted; the list is one that travels as a slice. */
        private static List<SimulatedRow> rows(int i) {
            return IntStream.range(0, 100)
                    .mapToObj(value ->
                            List.of(new SimulatedRow(i, value, i), new SimulatedRow(FIRST_UNWANTED + i, value, i)))
                    .filter(rows -> rows.hashCode() % 2 != 0)
                    .findFirst()
                    .orElseThrow();
        }

        /**
         * The disks go on until they have read or written so many SSTables, or the plan is over; one takes its time.
         */
        void pass(int sstables) throws IOException {
            for (int i = 0; i < sstables && running.result().isEmpty(); i++) {
                cluster.until(
                        () -> cluster.hangs.count() > 0 || running.result().isPresent());
                if (cluster.hangs.count() > 0) {
                    cluster.pass(TIME_OF_4_GB);
                    cluster.hangs.release();
                }
                mostTemporaryBytes = Math.max(mostTemporaryBytes, temporaryBytes());
            }
        }

        /** Each SSTable takes its time at the receiver: at the first byte of one of its files. */
        void writeSlowly() {
            cluster.hangAt(cluster.receiver, "write", "Statistics.db");
            WatchedDisk disk = cluster.disk(cluster.receiver);
            WatchedDisk.Operation hanging = disk.onOperation;
            Set<String> begun = new HashSet<>();
            disk.onOperation = (what, name) -> {
                if (begun.add(what + " " + name)) {
                    hanging.begins(what, name);
                }
            };
        }

        /** The bytes of all slices that the source has now. */
        private long temporaryBytes() throws IOException {
            long bytes = 0;
            for (Path folder : cluster.source.disk.listQuietly(
                    cluster.source.staging().orElseThrow().root())) {
                if (folder.getFileName().toString().startsWith("slices-")) {
                    for (Path slice : cluster.source.disk.listQuietly(folder)) {
                        for (Path file : cluster.source.disk.listQuietly(slice)) {
                            bytes += cluster.source.disk.content(file).length;
                        }
                    }
                }
            }
            return bytes;
        }

        PlanResult result() {
            return cluster.await(running);
        }

        @Override
        public void close() throws IOException {
            cluster.close();
        }
    }

    @Test
    void are_received_while_a_slow_source_prepares() throws IOException {
        receiveWhileTheSourcePrepares(SOME);
    }

    @Test
    @Tag("full")
    void of_ten_terabytes_are_received_while_a_slow_source_prepares() throws IOException {
        receiveWhileTheSourcePrepares(TEN_TERABYTES);
    }

    private static void receiveWhileTheSourcePrepares(int sstables) throws IOException {
        try (Slow slow = new Slow(sstables)) {
            slow.cluster.hangAtCall(slow.cluster.source, "sstables");

            slow.pass(sstables / 2);

            assertThat(slow.cluster.progress(slow.plan).bytesReceived())
                    .as("all that was prepared, but for a few")
                    .isGreaterThan(slow.cluster.progress(slow.plan).bytesTotal() * 9 / 10);
            assertThat(slow.cluster.progress(slow.plan).sstablesTotal()).isBetween(sstables / 2 - 10, sstables / 2);
            assertThat(slow.cluster.receivedFiles())
                    .as("live before all is known")
                    .isEmpty();
            slow.pass(Integer.MAX_VALUE);
            requireDone(slow, sstables);
            assertThat(slow.mostTemporaryBytes).as("a few slices").isLessThan(20_000);
        }
    }

    @Test
    void are_prepared_no_further_ahead_of_a_slow_receiver_than_there_is_room() throws IOException {
        prepareNoFurtherThanThereIsRoom(SOME);
    }

    @Test
    @Tag("soak")
    void of_ten_terabytes_are_prepared_no_further_ahead_of_a_slow_receiver_than_there_is_room() throws IOException {
        prepareNoFurtherThanThereIsRoom(TEN_TERABYTES);
    }

    private static void prepareNoFurtherThanThereIsRoom(int sstables) throws IOException {
        try (Slow slow = new Slow(sstables)) {
            slow.cluster.aheadBytes = 100_000;
            slow.writeSlowly();

            slow.pass(sstables / 2);

            assertThat(slow.cluster.progress(slow.plan).sstablesTotal()).isBetween(sstables / 2, sstables * 9 / 10);
            slow.pass(Integer.MAX_VALUE);
            requireDone(slow, sstables);
            assertThat(slow.mostTemporaryBytes).isBetween(10_000L, 100_000L);
        }
    }

    private static void requireDone(Slow slow, int sstables) {
        assertThat(slow.result().tables())
                .extracting(PlanResult.TableResult::reason)
                .containsExactly("");
        assertThat(slow.result().sessions()).hasSize(1);
        assertThat(slow.cluster.now())
                .isBetween(TIME_OF_4_GB.multipliedBy(sstables), TIME_OF_4_GB.multipliedBy(sstables * 5 / 4));
    }

    @Test
    void are_not_received_again_by_a_receiver_that_was_restarted() throws IOException {
        try (Slow slow = new Slow(SOME)) {
            slow.cluster.hangAtCall(slow.cluster.source, "sstables");
            slow.pass(SOME / 2);
            long received = slow.cluster.progress(slow.plan).bytesReceived();
            slow.cluster.restartReceiver();

            slow.running = slow.cluster.execute(slow.plan);
            slow.pass(Integer.MAX_VALUE);

            assertThat(slow.result().isComplete()).isTrue();
            assertThat(slow.result().sessions())
                    .anySatisfy(
                            session -> assertThat(session.bytesResumed()).isGreaterThanOrEqualTo(received * 9 / 10));
        }
    }
}
