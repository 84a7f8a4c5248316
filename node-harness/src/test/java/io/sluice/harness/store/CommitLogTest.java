package io.sluice.harness.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.component.SSTableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommitLogTest {
    @TempDir
    private Path directory = Path.of("");

    private static void write(CommitLog log, int number) throws IOException {
        log.acknowledge(
                log.append(ByteBuffer.allocate(Integer.BYTES).putInt(number).flip()));
    }

    private List<Integer> replayed() throws IOException {
        List<Integer> numbers = new ArrayList<>();
        CommitLog.replay(CommitLog.files(directory), payload -> numbers.add(payload.getInt()));
        return numbers;
    }

    private Path written(int... numbers) throws IOException {
        try (CommitLog log = CommitLog.open(directory, SyncPolicy.BATCH)) {
            for (int number : numbers) {
                write(log, number);
            }
        }
        List<Path> files = CommitLog.files(directory);
        return files.get(files.size() - 1);
    }

    @Test
    void what_was_written_is_found_again_in_order_over_several_files() throws IOException {
        written(1, 2);
        written(3);

        assertThat(replayed()).containsExactly(1, 2, 3);
    }

    @Test
    void a_file_cut_anywhere_gives_all_whole_records() throws IOException {
        Path file = written(1, 2, 3);
        byte[] whole = Files.readAllBytes(file);
        int record = (whole.length - 8) / 3;

        for (int length = 0; length < whole.length; length++) {
            Files.write(file, Arrays.copyOf(whole, length));
            assertThat(replayed()).as("%d bytes", length).hasSize(Math.max(0, (length - 8) / record));
        }
    }

    @Test
    void damage_of_what_was_on_disk_is_never_taken_for_the_end() throws IOException {
        Path file = written(1, 2, 3);
        byte[] whole = Files.readAllBytes(file);
        int record = (whole.length - 8) / 3;

        for (int at = 0; at < whole.length - record; at++) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 1;
            Files.write(file, damaged);
            assertThatThrownBy(this::replayed)
                    .as("byte %d", at)
                    .isInstanceOf(SSTableException.class)
                    .hasMessageContaining(file.getFileName().toString());
        }
    }

    @Test
    void a_damaged_last_record_is_a_write_that_was_not_finished() throws IOException {
        Path file = written(1, 2, 3);
        byte[] whole = Files.readAllBytes(file);
        whole[whole.length - 1] ^= 1;
        Files.write(file, whole);

        assertThat(replayed()).containsExactly(1, 2);
    }

    @Test
    void discarded_files_are_gone_and_later_writes_stay() throws IOException {
        try (CommitLog log = CommitLog.open(directory, SyncPolicy.BATCH)) {
            write(log, 1);
            List<LogSegment> full = log.rotate();
            write(log, 2);
            log.discard(full);
        }

        assertThat(replayed()).containsExactly(2);
    }

    @Test
    void a_file_whose_write_failed_is_discarded_too() throws IOException {
        try (CommitLog log = CommitLog.open(directory, SyncPolicy.BATCH)) {
            log.append(ByteBuffer.allocate(1));
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> write(log, 2)).isInstanceOf(ClosedByInterruptException.class);
            assertThat(Thread.interrupted()).isTrue();

            log.discard(log.rotate());
            write(log, 3);

            assertThat(log.hasFull()).isFalse();
        }

        assertThat(replayed()).containsExactly(3);
    }

    @Test
    void a_file_that_could_not_be_begun_does_not_prevent_the_next() throws IOException {
        try (CommitLog log = CommitLog.open(directory, SyncPolicy.BATCH)) {
            Path taken = Files.createFile(directory.resolve("sluice-2.log"));
            assertThatThrownBy(log::rotate).isInstanceOf(FileAlreadyExistsException.class);

            log.discard(log.rotate());
            write(log, 3);

            assertThat(taken).exists();
        }

        assertThat(replayed()).containsExactly(3);
    }

    @Test
    void many_writers_at_once_lose_nothing() throws Exception {
        ExecutorService writers = Executors.newFixedThreadPool(8);
        try (CommitLog log = CommitLog.open(directory, SyncPolicy.BATCH)) {
            List<Callable<Integer>> writes = new ArrayList<>();
            for (int number = 0; number < 400; number++) {
                int mine = number;
                writes.add(() -> {
                    write(log, mine);
                    return mine;
                });
            }
            for (Future<Integer> done : writers.invokeAll(writes)) {
                done.get();
            }
        } finally {
            writers.shutdownNow();
        }

        assertThat(replayed()).hasSize(400).doesNotHaveDuplicates();
    }
}
