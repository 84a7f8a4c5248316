package io.sluice.streaming.install;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.PlanResult.LiveWrites;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompletePlansTest {
    private static final UUID NODE = new UUID(1, 1);
    private static final TableRef TABLE = new TableRef(new UUID(2, 2), "k s", "t\nü");
    private static final TokenRanges RANGES = TokenRanges.of(TokenRange.of(-5, 7), TokenRange.of(9, 11));

    /** About 16 KiB of text. */
    private static final TokenRanges MANY_RANGES = TokenRanges.of(LongStream.range(0, 400)
            .mapToObj(i -> TokenRange.of(i * (1L << 50), i * (1L << 50) + 1))
            .toList());

    @TempDir
    Path root;

    private static final Instant BEGIN = Instant.parse("2026-11-21T22:00:00Z");

    private final Disk disk = new FileSystemDisk();

    private static StreamPlan plan(long id, TokenRanges ranges) {
        Node source = new Node(new UUID(3, 3), "a source", new Address("127.0.0.1", 1), List.of());
        return new StreamPlan(new UUID(7, id), Operation.REPLACE, List.of(new StreamRequest(source, TABLE, ranges)));
    }

    private static PlanResult result(StreamPlan plan) {
        return result(plan, RANGES);
    }

    private static PlanResult result(StreamPlan plan, TokenRanges ranges) {
        return new PlanResult(
                plan.id(),
                BEGIN,
                BEGIN.plusMillis(8_001),
                Optional.empty(),
                List.of(new PlanResult.TableResult(
                        TABLE, 3, 5_000_000_000L, BEGIN.plusNanos(1), BEGIN.plusMillis(8_000), Optional.empty())),
                List.of(new PlanResult.RangeResult(
                        TABLE,
                        ranges.ranges(),
                        plan.requests().get(0).source(),
                        PlanResult.Outcome.INSTALLED,
                        Optional.empty(),
                        new LiveWrites(LiveWrites.Kind.GAPLESS, Optional.of(BEGIN)))),
                List.of());
    }

    /** Counts files that are written as a whole. */
    private Disk counting(AtomicInteger written) {
        return new ForwardingDisk() {
            @Override
            public Disk real() {
                return disk;
            }

            @Override
            public void writeDurably(Path file, byte[] content) throws IOException {
                written.incrementAndGet();
                real().writeDurably(file, content);
            }
        };
    }

    private CompletePlans open() throws IOException {
        return CompletePlans.open(disk, root, NODE);
    }

    @Test
    void are_known_after_a_restart_and_another_plan_of_the_same_id_is_refused() throws Exception {
        StreamPlan first = plan(1, RANGES);
        StreamPlan second = plan(2, RANGES);
        CompletePlans before = open();
        assertThat(before.result(first)).isEmpty();
        before.add(first, result(first));
        before.add(second, result(second));

        CompletePlans after = open();

        assertThat(after.result(first)).contains(result(first));
        assertThat(after.result(second)).contains(result(second));
        assertThat(after.result(plan(3, RANGES))).isEmpty();
        assertThatThrownBy(() -> after.result(plan(1, TokenRanges.FULL)))
                .hasMessageContaining("has the id of another plan");
    }

    @Test
    void an_interrupted_thread_forgets_none() throws Exception {
        StreamPlan plan = plan(1, RANGES);
        open().add(plan, result(plan));
        Thread.currentThread().interrupt();

        try {
            assertThatThrownBy(this::open).isInstanceOf(IOException.class);
        } finally {
            Thread.interrupted();
        }

        assertThat(open().result(plan)).contains(result(plan));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nobody_who_asks_waits_for_a_disk_that_does_not_answer(boolean isAppended) throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        AtomicBoolean isHanging = new AtomicBoolean();
        CompletePlans plans = CompletePlans.open(
                new ForwardingDisk() {
                    @Override
                    public Disk real() {
                        return disk;
                    }

                    @Override
                    public DiskFile open(Path file) throws IOException {
                        hang();
                        return real().open(file);
                    }

                    @Override
                    public void writeDurably(Path file, byte[] content) throws IOException {
                        hang();
                        real().writeDurably(file, content);
                    }

                    private void hang() throws IOException {
                        if (isHanging.get()) {
                            asked.countDown();
                            awaitAnswer(answer);
                        }
                    }
                },
                root,
                NODE);
        StreamPlan first = plan(1, RANGES);
        StreamPlan second = plan(2, RANGES);
        List<StreamPlan> all = isAppended ? List.of(first, second) : List.of(second);
        if (isAppended) {
            plans.add(first, result(first));
        }
        isHanging.set(true);
        CompletableFuture<Void> adding = CompletableFuture.runAsync(() -> {
            try {
                plans.add(second, result(second));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        asked.await();

        assertKnown(plans, all, List.of());
        assertThat(adding).isNotDone();

        answer.countDown();
        adding.get(10, TimeUnit.SECONDS);
        assertKnown(open(), all, List.of());
    }

    private static void awaitAnswer(CountDownLatch answer) throws IOException {
        try {
            answer.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Test
    void the_oldest_go_when_there_are_too_many() throws Exception {
        CompletePlans plans = open();
        for (long i = 0; i < 1_003; i++) {
            StreamPlan plan = plan(i, RANGES);
            plans.add(plan, result(plan));
        }

        CompletePlans after = open();

        assertThat(after.result(plan(2, RANGES))).isEmpty();
        assertThat(after.result(plan(3, RANGES))).isPresent();
        assertThat(after.result(plan(1_002, RANGES))).isPresent();
        assertThat(Files.size(root.resolve(CompletePlans.NAME))).isLessThan(4 << 20);
    }

    @Test
    void one_that_is_too_long_is_not_recorded_and_removes_no_other() throws Exception {
        TokenRanges ranges = TokenRanges.of(LongStream.range(0, 120_000)
                .mapToObj(i -> TokenRange.of(Long.MIN_VALUE + 1 + 2 * i, Long.MIN_VALUE + 2 + 2 * i))
                .toList());
        StreamPlan small = plan(1, RANGES);
        StreamPlan large = plan(2, ranges);
        CompletePlans plans = open();
        plans.add(small, result(small));

        plans.add(large, result(large, ranges));

        assertThat(open().result(small)).isPresent();
        assertThat(open().result(large)).isEmpty();
    }

    @Test
    void a_file_with_any_byte_changed_or_cut_off_is_not_used_and_written_anew() throws Exception {
        StreamPlan plan = plan(1, RANGES);
        open().add(plan, result(plan));
        Path file = root.resolve(CompletePlans.NAME);
        byte[] whole = Files.readAllBytes(file);
        for (int i = 0; i < whole.length; i++) {
            byte[] changed = whole.clone();
            changed[i] ^= 1;
            Files.write(file, changed);
            assertThat(open().result(plan)).as("byte %s", i).isEmpty();
            Files.write(file, Arrays.copyOf(whole, i));
            assertThat(open().result(plan)).as("cut at %s", i).isEmpty();
        }

        open().add(plan, result(plan));
        assertThat(open().result(plan)).isPresent();
        assertThat(CompletePlans.open(disk, root, new UUID(9, 9)).result(plan))
                .as("of a copied directory")
                .isEmpty();
    }

    @Test
    void a_plan_is_appended_and_the_file_written_anew_when_most_of_it_is_forgotten() throws Exception {
        AtomicInteger written = new AtomicInteger();
        CompletePlans plans = CompletePlans.open(counting(written), root, NODE);
        long longest = 0;
        for (long i = 0; i < 900; i++) {
            StreamPlan plan = plan(i, RANGES);
            plans.add(plan, result(plan, MANY_RANGES));
            longest = Math.max(longest, Files.size(root.resolve(CompletePlans.NAME)));
        }

        assertThat(written.get()).isBetween(2, 6);
        assertThat(longest).isBetween(4L << 20, (8L << 20) + (1 << 17));
        CompletePlans after = open();
        assertThat(after.result(plan(100, RANGES))).isEmpty();
        assertThat(after.result(plan(700, RANGES))).isPresent();
        assertThat(after.result(plan(899, RANGES))).isPresent();
    }

    @Test
    void threads_that_add_at_the_same_time_lose_nothing() throws Exception {
        CompletePlans plans = open();
        CountDownLatch both = new CountDownLatch(2);
        List<CompletableFuture<Void>> adding = new ArrayList<>();
        for (long from : List.of(0, 200)) {
            Runnable adds = () -> {
                try {
                    both.countDown();
                    both.await(10, TimeUnit.SECONDS);
                    for (long i = from; i < from + 200; i++) {
                        plans.add(plan(i, RANGES), result(plan(i, RANGES)));
                    }
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            };
            adding.add(CompletableFuture.runAsync(adds, task -> new Thread(task).start()));
        }
        for (CompletableFuture<Void> each : adding) {
            each.get(60, TimeUnit.SECONDS);
        }

        List<StreamPlan> all =
                LongStream.range(0, 400).mapToObj(i -> plan(i, RANGES)).toList();
        assertKnown(open(), all, List.of());
    }

    @Test
    void a_file_that_somebody_removed_or_cut_is_written_anew_with_the_next_plan() throws Exception {
        Path file = root.resolve(CompletePlans.NAME);
        List<StreamPlan> three = List.of(plan(1, RANGES), plan(2, RANGES), plan(3, RANGES));
        CompletePlans plans = open();
        plans.add(three.get(0), result(three.get(0)));
        Files.delete(file);
        plans.add(three.get(1), result(three.get(1)));
        assertKnown(open(), three.subList(0, 2), three.subList(2, 3));
        Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 100));

        plans.add(three.get(2), result(three.get(2)));

        assertKnown(open(), three, List.of());
    }

    @Test
    void the_first_plan_of_a_process_makes_durable_what_it_found() throws Exception {
        StreamPlan first = plan(1, RANGES);
        open().add(first, result(first));
        AtomicInteger written = new AtomicInteger();
        CompletePlans after = CompletePlans.open(counting(written), root, NODE);

        after.add(plan(2, RANGES), result(plan(2, RANGES)));
        after.add(plan(3, RANGES), result(plan(3, RANGES)));

        assertThat(written).hasValue(1);
        assertKnown(open(), List.of(first, plan(2, RANGES), plan(3, RANGES)), List.of());
    }

    @Test
    void those_before_a_torn_or_damaged_one_stay_known_and_the_next_one_mends_the_file() throws Exception {
        List<StreamPlan> three = List.of(plan(1, RANGES), plan(2, RANGES), plan(3, RANGES));
        CompletePlans before = open();
        Path file = root.resolve(CompletePlans.NAME);
        List<Long> ends = new ArrayList<>();
        for (StreamPlan plan : three) {
            before.add(plan, result(plan));
            ends.add(Files.size(file));
        }
        byte[] whole = Files.readAllBytes(file);
        for (int cut = (int) (long) ends.get(0) + 1; cut < ends.get(1); cut++) {
            Files.write(file, Arrays.copyOf(whole, cut));
            assertKnown(open(), three.subList(0, 1), three.subList(1, 3));
            byte[] changed = whole.clone();
            changed[cut - 1] ^= 1;
            Files.write(file, changed);
            assertKnown(open(), three.subList(0, 1), three.subList(1, 3));
        }

        open().add(three.get(2), result(three.get(2)));

        assertKnown(open(), List.of(three.get(0), three.get(2)), three.subList(1, 2));
    }

    private static void assertKnown(CompletePlans plans, List<StreamPlan> known, List<StreamPlan> unknown) {
        assertThat(known).allMatch(plan -> plans.result(plan).isPresent());
        assertThat(unknown).allMatch(plan -> plans.result(plan).isEmpty());
    }

    @Test
    void what_a_failed_disk_left_half_written_is_written_anew_with_the_next_plan() throws Exception {
        AtomicBoolean isBroken = new AtomicBoolean();
        Disk tearing = new ForwardingDisk() {
            @Override
            public Disk real() {
                return disk;
            }

            @Override
            public DiskFile open(Path file) throws IOException {
                if (isBroken.get()) {
                    try (DiskFile half = real().open(file)) {
                        half.writeFully(ByteBuffer.wrap("plan 00".getBytes(UTF_8)), half.size());
                    }
                    throw new IOException("disk failed");
                }
                return real().open(file);
            }
        };
        CompletePlans plans = CompletePlans.open(tearing, root, NODE);
        plans.add(plan(1, RANGES), result(plan(1, RANGES)));
        isBroken.set(true);
        StreamPlan lost = plan(2, RANGES);
        assertThatThrownBy(() -> plans.add(lost, result(lost))).hasMessage("disk failed");
        assertKnown(plans, List.of(plan(1, RANGES), lost), List.of());
        assertKnown(open(), List.of(plan(1, RANGES)), List.of(lost));

        plans.add(plan(3, RANGES), result(plan(3, RANGES)));

        assertKnown(open(), List.of(plan(1, RANGES), lost, plan(3, RANGES)), List.of());
    }

    @Test
    void a_plan_that_is_added_again_is_the_latest() throws Exception {
        CompletePlans plans = open();
        for (long i = 0; i < 1_000; i++) {
            plans.add(plan(i, RANGES), result(plan(i, RANGES)));
        }
        plans.add(plan(0, RANGES), result(plan(0, RANGES)));
        plans.add(plan(1_000, RANGES), result(plan(1_000, RANGES)));

        for (CompletePlans known : List.of(plans, open())) {
            assertKnown(known, List.of(plan(0, RANGES), plan(2, RANGES)), List.of(plan(1, RANGES)));
        }
    }

    @Test
    void a_plan_that_is_added_again_takes_the_place_of_itself_alone() throws Exception {
        CompletePlans plans = open();
        StreamPlan first = plan(1, RANGES);
        StreamPlan again = plan(2, RANGES);
        plans.add(first, result(first));

        for (int i = 0; i < 400; i++) { // 6 MiB of text, of which 16 KiB are known
            plans.add(again, result(again, MANY_RANGES));
        }

        assertKnown(plans, List.of(first, again), List.of());
        assertKnown(open(), List.of(first, again), List.of());
    }
}
