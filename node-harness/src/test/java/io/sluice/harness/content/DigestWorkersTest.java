package io.sluice.harness.content;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DigestWorkersTest {
    private static final Path FIXTURE =
            Path.of("..", "sstable-format", "src", "test", "resources", "fixtures", "multi_sstable", "nb");
    private static final List<TokenRange> RANGES = List.of(
            TokenRange.of(5_000_000_000_000_000_000L, -5_000_000_000_000_000_000L), // beyond the highest token
            TokenRange.of(-5_000_000_000_000_000_000L, 0),
            TokenRange.of(0, 2));

    @TempDir
    private Path temporary = Path.of("");

    private static List<SSTable> sstables(Path folder) throws IOException {
        return TableFiles.openAll(folder).get(0).sstables();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7})
    void digests_are_those_of_one_thread_that_reads_one_range_after_the_other(int threads) throws IOException {
        List<SSTable> sstables = sstables(FIXTURE);
        try (DigestWorkers workers = new DigestWorkers(threads)) {
            List<RangeDigest> rows = workers.rows(sstables, RANGES);
            List<StoredDigest> stored = StoredRuns.digests(workers.verified(sstables, RANGES), RANGES);
            List<StoredDigest> recorded = workers.recorded(sstables, RANGES);

            for (int i = 0; i < RANGES.size(); i++) {
                TokenRange range = RANGES.get(i);
                ContentDigest expected = ContentDigest.of(sstables, TokenRanges.of(range));
                assertThat(rows.get(i)).isEqualTo(new RangeDigest(range, expected));
                assertThat(stored.get(i)).isEqualTo(StoredDigest.of(sstables, range));
                assertThat(recorded.get(i)).isEqualTo(StoredDigest.of(sstables, range));
            }
            assertThat(rows.get(0).content().partitions()).isPositive();
            assertThat(workers.rows(sstables, List.of(TokenRange.FULL)).get(0).content())
                    .isEqualTo(ContentDigest.of(sstables, TokenRanges.FULL));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 64})
    void parts_are_the_whole_and_no_token_is_in_two(int number) {
        List<TokenRange> ranges = List.of(
                TokenRange.FULL,
                TokenRange.of(7, 7),
                TokenRange.of(Long.MAX_VALUE, Long.MIN_VALUE + 1),
                TokenRange.of(Long.MAX_VALUE - 3, 5),
                TokenRange.of(0, 1),
                TokenRange.of(Long.MIN_VALUE, Long.MAX_VALUE - 1));
        for (TokenRange range : ranges) {
            List<TokenRange> parts = DigestWorkers.parts(range, number);

            assertThat(TokenRanges.of(parts)).as("%s in %d", range, number).isEqualTo(TokenRanges.of(range));
            LongStream.of(Long.MIN_VALUE + 1, -7, 0, 1, 2, 5, 7, 8, Long.MAX_VALUE - 2, Long.MAX_VALUE)
                    .mapToObj(Token::new)
                    .forEach(token -> assertThat(parts.stream().filter(part -> part.contains(token)))
                            .as("%s of %s in %d", token, range, number)
                            .hasSize(range.contains(token) ? 1 : 0));
        }
        assertThat(DigestWorkers.parts(TokenRange.FULL, number)).hasSizeBetween(number, number + 1);
        assertThat(DigestWorkers.parts(TokenRange.of(0, 2), 64)).hasSize(2);
    }

    @Test
    void a_damaged_file_is_named() throws IOException {
        TableFiles table = TableFiles.openAll(FIXTURE).get(0);
        try (Stream<Path> files = Files.list(table.directory())) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, temporary.resolve(file.getFileName()));
            }
        }
        Descriptor name = table.sstables().get(0).descriptor();
        SSTable damaged = SSTable.open(temporary, name);
        Path data = temporary.resolve(name + "-Data.db");
        byte[] bytes = Files.readAllBytes(data);
        IntStream.range(0, bytes.length).forEach(i -> bytes[i] ^= 1);
        Files.write(data, bytes);

        try (DigestWorkers workers = new DigestWorkers(2)) {
            assertThatThrownBy(() -> workers.rows(List.of(damaged), RANGES))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(data.getFileName().toString());
            assertThatThrownBy(() -> workers.verified(List.of(damaged), RANGES))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(data.getFileName().toString());
        }
    }

    @Test
    void whoever_waits_can_be_interrupted() throws IOException {
        List<SSTable> sstables = sstables(FIXTURE);
        try (DigestWorkers workers = new DigestWorkers(1)) {
            Thread.currentThread().interrupt();

            assertThatThrownBy(() -> workers.rows(sstables, RANGES)).isInstanceOf(InterruptedIOException.class);
            assertThat(Thread.interrupted()).isTrue();
        }
    }
}
