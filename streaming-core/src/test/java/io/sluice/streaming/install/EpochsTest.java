package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class EpochsTest {
    private static final UUID EARLIER = new UUID(0, 0);
    private static final UUID TABLE = new UUID(0, 1);
    private static final UUID OTHER = new UUID(0, 2);
    private static final TokenRanges LOW = TokenRanges.of(TokenRange.of(0, 100));
    private static final TokenRanges HIGH = TokenRanges.of(TokenRange.of(100, 200));
    private static final TokenRanges MIDDLE = TokenRanges.of(TokenRange.of(50, 150));

    @TempDir
    Path root;

    private Volumes volumes = new Volumes(true);
    private final Set<UUID> dropped = new HashSet<>();
    private boolean failing;

    /** As a new process, which finds one staging directory or several. */
    private Epochs open(Path... roots) throws IOException {
        volumes.close();
        volumes = new Volumes(roots.length < 2);
        for (Path each : roots.length == 0 ? new Path[] {root} : roots) {
            volumes.add(StagingVolume.open(
                    new FileSystemDisk(),
                    new TableStore.Volume(each),
                    new StagingVolume.How(
                            StagingLimits.DEFAULTS, () -> false, why -> {}, Optional.empty(), table -> false)));
        }
        return Epochs.open(volumes, this::isDropped);
    }

    private boolean isDropped(UUID table) {
        if (failing) {
            throw new StreamException(ErrorCode.INTERNAL, "the database failed");
        }
        return dropped.contains(table);
    }

    @AfterEach
    void close() {
        volumes.close();
    }

    @Test
    void what_one_volume_has_missed_is_known_by_another() throws IOException {
        Path one = root.resolve("one");
        Path other = root.resolve("other");
        admit(open(one, other), fence(LOW, 3));
        admit(open(other), fence(MIDDLE, 5)); // while one is missing
        admit(open(one), fence(HIGH, 4)); // while the other is

        Epochs epochs = open(one, other);

        assertFenced(epochs, fence(MIDDLE, 4));
        assertFenced(epochs, fence(LOW, 2));
        use(epochs, fence(MIDDLE, 5));
        assertFenced(epochs, fence(TokenRanges.of(TokenRange.of(150, 200)), 3));
        use(epochs, fence(TokenRanges.of(TokenRange.of(150, 200)), 4));
    }

    private static Fence fence(TokenRanges ranges, long epoch) {
        return new Fence(TABLE, ranges, epoch);
    }

    private static void assertFenced(Epochs epochs, Fence fence) {
        for (Runnable step : List.<Runnable>of(() -> admit(epochs, fence), () -> use(epochs, fence))) {
            assertThatThrownBy(step::run)
                    .isInstanceOfSatisfying(
                            StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FENCED))
                    .hasMessageContaining("the epoch of this operation");
        }
    }

    private static void admit(Epochs epochs, Fence... fences) {
        try {
            epochs.admit(List.of(fences));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void use(Epochs epochs, Fence fence) {
        try {
            assertThat(epochs.ifNewest(fence, () -> "done")).isEqualTo("done");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void an_operation_that_was_replaced_does_nothing_more_where_they_overlap() throws IOException {
        Epochs epochs = open();
        admit(epochs, fence(LOW, 3));
        admit(epochs, fence(MIDDLE, 4));

        assertFenced(epochs, fence(LOW, 3));
        use(epochs, fence(TokenRanges.of(TokenRange.of(0, 50)), 3));
        use(epochs, fence(MIDDLE, 4));
        use(epochs, new Fence(OTHER, MIDDLE, 1));
    }

    @Test
    void who_takes_over_some_ranges_frees_no_others() throws IOException {
        Epochs epochs = open();
        admit(epochs, fence(TokenRanges.FULL, 5));
        admit(epochs, fence(LOW, 6));
        admit(epochs, new Fence(OTHER, TokenRanges.FULL, 9));

        assertFenced(epochs, fence(HIGH, 4));
        assertFenced(open(), fence(HIGH, 4));
        use(epochs, fence(HIGH, 5));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * A commit of {@code TABLE} hangs, and the operation that replaces its own, also in {@code EARLIER}, waits for it.
     */
    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void a_commit_that_hangs_holds_up_no_other_table_and_no_staging() throws Exception {
        Epochs epochs = open();
        admit(epochs, fence(LOW, 3));
        CountDownLatch isCommitting = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        Thread commit = new Thread(() -> {
            try {
                epochs.ifNewest(fence(LOW, 3), () -> {
                    isCommitting.countDown();
                    await(answer);
                    return "done";
                });
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        Thread newer = new Thread(() -> admit(epochs, new Fence(EARLIER, LOW, 4), fence(LOW, 4)));
        commit.setDaemon(true);
        newer.setDaemon(true);
        try {
            commit.start();
            isCommitting.await();
            newer.start();
            while (newer.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }

            epochs.requireNewest(fence(LOW, 3)); // for staging
            admit(epochs, Fence.none(TABLE));
            use(epochs, Fence.none(TABLE));
            for (UUID other : List.of(EARLIER, OTHER)) {
                admit(epochs, new Fence(other, LOW, 1));
                use(epochs, new Fence(other, LOW, 1));
            }

            assertThat(newer.isAlive()).as("what has begun ends first").isTrue();
        } finally {
            answer.countDown();
            commit.join();
            newer.join();
        }
        assertFenced(epochs, fence(LOW, 3));
        assertFenced(epochs, new Fence(EARLIER, LOW, 3));
        use(epochs, fence(LOW, 4));
    }

    /** Many admissions of the same tables, in different orders, beside commits of them. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void admissions_that_share_tables_wait_for_each_other_and_all_end() throws Exception {
        Epochs epochs = open();
        List<UUID> tables = List.of(EARLIER, TABLE, OTHER);
        List<Thread> threads = new ArrayList<>();
        AtomicInteger done = new AtomicInteger();
        for (int i = 0; i < 6; i++) {
            int first = i;
            threads.add(new Thread(() -> {
                Fence[] fences = IntStream.range(0, 3)
                        .mapToObj(j -> new Fence(tables.get((first + j) % 3), LOW, 1))
                        .toArray(Fence[]::new);
                for (int round = 0; round < 100; round++) {
                    admit(epochs, fences);
                    use(epochs, fences[round % 3]);
                }
                done.incrementAndGet();
            }));
        }

        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(done).hasValue(threads.size());
    }

    @Test
    void forgets_the_tables_that_were_dropped() throws IOException {
        Epochs epochs = open();
        admit(epochs, fence(LOW, 3));
        admit(epochs, new Fence(OTHER, LOW, 4));
        assertThat(root.resolve(Epochs.NAME)).content().contains(TABLE.toString(), OTHER.toString());

        dropped.add(TABLE);
        UUID third = new UUID(0, 3);
        admit(epochs, new Fence(third, LOW, 5));

        assertThat(root.resolve(Epochs.NAME))
                .content()
                .contains(OTHER.toString(), third.toString())
                .doesNotContain(TABLE.toString());
        use(open(), fence(LOW, 1));
        assertFenced(open(), new Fence(OTHER, LOW, 3));
    }

    @Test
    void admits_an_operation_even_if_the_database_cannot_say_what_was_dropped() throws IOException {
        Epochs epochs = open();
        admit(epochs, fence(LOW, 3));
        failing = true;

        admit(epochs, new Fence(OTHER, LOW, 4));

        use(epochs, new Fence(OTHER, LOW, 4));
        assertFenced(epochs, fence(LOW, 2));
    }

    @Test
    void knows_after_a_restart_what_it_knew_before() throws IOException {
        Epochs before = open();
        admit(before, fence(LOW, 3));
        admit(before, fence(TokenRanges.FULL, 7));

        assertFenced(open(), fence(HIGH, 6));
        use(open(), fence(TokenRanges.FULL, 7));
        use(open(), Fence.none(TABLE));
    }

    @Test
    void admits_all_of_an_operation_or_nothing() throws IOException {
        Epochs epochs = open();
        admit(epochs, fence(HIGH, 5));

        assertThatThrownBy(() -> epochs.admit(List.of(new Fence(OTHER, LOW, 4), fence(MIDDLE, 4))))
                .isInstanceOf(StreamException.class);

        use(epochs, new Fence(OTHER, LOW, 1));
    }

    @Test
    void a_damaged_file_is_put_aside_and_never_believed() throws IOException {
        admit(open(), fence(LOW, 3));
        byte[] bytes = Files.readAllBytes(root.resolve(Epochs.NAME));
        for (int i = 0; i < bytes.length; i++) {
            byte[] damaged = bytes.clone();
            damaged[i] ^= 4;
            byte[] cut = Arrays.copyOf(bytes, i);
            assertThatThrownBy(() -> Epochs.decode(damaged))
                    .as("byte %d", i)
                    .isInstanceOf(UnreadableLineException.class);
            assertThatThrownBy(() -> Epochs.decode(cut))
                    .as("first %d bytes", i)
                    .isInstanceOf(UnreadableLineException.class);
        }
        bytes[bytes.length / 2] ^= 1;
        Files.write(root.resolve(Epochs.NAME), bytes);

        use(open(), fence(LOW, 1));

        assertThat(root.resolve("epochs.damaged")).exists();
    }

    @Test
    void a_file_that_is_too_long_to_be_read_is_put_aside_and_the_node_starts() throws IOException {
        Path one = root.resolve("one");
        Path other = root.resolve("other");
        admit(open(one, other), fence(LOW, 3));
        Path file = one.resolve(Epochs.NAME);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(1), Epochs.MAX_LENGTH_BYTES);
        }

        Epochs epochs = open(one, other);

        assertThat(one.resolve("epochs.damaged")).hasSize(Epochs.MAX_LENGTH_BYTES + 1);
        assertFenced(epochs, fence(LOW, 2)); // known by the other volume
        assertThat(file).hasSameBinaryContentAs(other.resolve(Epochs.NAME));
    }

    /** Ranges that do not touch, with lines of 99 bytes if the epoch has 19 digits. */
    private static TokenRanges ranges(int count) {
        return TokenRanges.of(IntStream.range(0, count)
                .mapToObj(i -> TokenRange.of(Long.MIN_VALUE + 1 + 2L * i, Long.MIN_VALUE + 2 + 2L * i))
                .toList());
    }

    @Test
    void an_operation_whose_epochs_could_not_be_read_again_is_refused_and_changes_nothing() throws IOException {
        Epochs epochs = open();
        admit(epochs, fence(LOW, 3));
        byte[] before = Files.readAllBytes(root.resolve(Epochs.NAME));
        int tooMany = Epochs.MAX_LENGTH_BYTES / 99 + 1;

        assertThatThrownBy(() -> epochs.admit(
                        List.of(fence(MIDDLE, Long.MAX_VALUE), new Fence(OTHER, ranges(tooMany), Long.MAX_VALUE))))
                .isInstanceOfSatisfying(
                        StreamException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.LIMIT))
                .hasMessageContaining("67108864 bytes")
                .hasMessageContaining((tooMany + 2) + " ranges of 2 tables, " + tooMany + " of table " + OTHER);

        assertThat(root.resolve(Epochs.NAME)).hasBinaryContent(before);
        use(epochs, fence(MIDDLE, 3));
        use(open(), fence(LOW, 3));
    }

    @Test
    void says_which_line_cannot_be_read_and_why() {
        byte[] bytes = SealedText.seal("sluice-epochs 1\n" + TABLE + " 3 0 100\n" + TABLE + " x 0 100\n");

        assertThatThrownBy(() -> Epochs.decode(bytes))
                .isInstanceOf(UnreadableLineException.class)
                .hasMessageStartingWith("line 3: '" + TABLE + " x 0 100': ")
                .hasMessageContaining("\"x\"");
    }
}
