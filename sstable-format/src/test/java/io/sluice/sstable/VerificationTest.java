package io.sluice.sstable;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.compression.IncrementalChecksums;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class VerificationTest {

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#all")
    void finds_nothing_wrong_with_what_the_reference_wrote(Fixture fixture) throws IOException {
        VerificationReport report = Verification.verify(fixture.open());

        assertThat(report.problems()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("damages")
    void reports_a_flipped_byte(Fixture fixture, Component component, int offset, @TempDir Path directory)
            throws IOException {
        SSTable copy = fixture.copyTo(directory);
        byte[] bytes = Files.readAllBytes(copy.path(component));
        bytes[offset < 0 ? bytes.length + offset : offset] ^= 0x15;
        Files.write(copy.path(component), bytes);

        VerificationReport report = Verification.verify(directory, fixture.descriptor());

        assertThat(report.isClean()).isFalse();
        assertThat(report.problems())
                .allSatisfy(problem ->
                        assertThat(problem.sentence()).contains("(expected: ").contains(directory.toString()));
    }

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#samples")
    void believes_a_sum_that_was_taken_on_the_way_and_compares_it_with_the_digest(
            Fixture fixture, @TempDir Path directory) throws IOException {
        SSTable copy = fixture.copyTo(directory);
        byte[] bytes = Files.readAllBytes(copy.path(Component.DATA));
        IncrementalChecksums right = sums(bytes);
        IncrementalChecksums wrong = sums(bytes);
        wrong.update(0);

        assertThat(Verification.verify(directory, fixture.descriptor(), Optional.of(right))
                        .problems())
                .isEmpty();
        assertThat(Verification.verify(directory, fixture.descriptor(), Optional.of(wrong))
                        .problems())
                .anySatisfy(problem -> assertThat(problem.sentence())
                        .contains("CRC-32 of the file is " + Long.toHexString(wrong.getValue())));
    }

    private static IncrementalChecksums sums(byte[] bytes) {
        IncrementalChecksums sums = new IncrementalChecksums();
        sums.update(bytes);
        return sums;
    }

    @ParameterizedTest
    @MethodSource("damages")
    void reports_what_arrived_damaged(Fixture fixture, Component component, int offset, @TempDir Path directory)
            throws IOException {
        SSTable copy = fixture.copyTo(directory);
        byte[] bytes = Files.readAllBytes(copy.path(component));
        bytes[offset < 0 ? bytes.length + offset : offset] ^= 0x15;
        Files.write(copy.path(component), bytes);
        IncrementalChecksums passed = sums(Files.readAllBytes(copy.path(Component.DATA)));

        List<VerificationReport.Problem> read =
                Verification.verify(directory, fixture.descriptor()).problems();

        assertThat(Verification.verify(directory, fixture.descriptor(), Optional.of(passed))
                        .problems())
                .isNotEmpty()
                .isEqualTo(read);
    }

    /** One byte of each component, where nothing else would tell. */
    static Stream<Arguments> damages() {
        return Fixture.samples()
                .flatMap(fixture -> Stream.of(
                        Arguments.of(fixture, Component.STATISTICS, 3),
                        Arguments.of(fixture, Component.STATISTICS, 60),
                        Arguments.of(fixture, Component.STATISTICS, -5),
                        Arguments.of(fixture, Component.COMPRESSION_INFO, -1),
                        Arguments.of(fixture, Component.COMPRESSION_INFO, 2),
                        Arguments.of(fixture, Component.CRC, 4),
                        Arguments.of(fixture, Component.CRC, -1),
                        Arguments.of(fixture, Component.DIGEST, 0),
                        Arguments.of(fixture, Component.FILTER, 3),
                        Arguments.of(fixture, Component.SUMMARY, -1),
                        Arguments.of(fixture, Component.SUMMARY, 24),
                        Arguments.of(fixture, Component.INDEX, 2),
                        Arguments.of(fixture, Component.PARTITIONS, -1),
                        Arguments.of(fixture, Component.PARTITIONS, -25),
                        Arguments.of(fixture, Component.DATA, 2),
                        Arguments.of(fixture, Component.DATA, -1),
                        Arguments.of(fixture, Component.TOC, 1)))
                .filter(damage -> Files.exists(((Fixture) damage.get()[0]).path((Component) damage.get()[1])));
    }

    @ParameterizedTest
    @CsvSource({"SI_users_v_idx.db, true", "'SI_users_v_idx.db\nData.db', false", "'', false"})
    void accepts_of_incomplete_lists_only_that_of_4_0_beside_sasi_indexes(
            String listed, boolean isSound, @TempDir Path directory) throws IOException {
        SSTable copy = Fixture.of("kv", "nb").findFirst().orElseThrow().copyTo(directory);
        Files.write(directory.resolve(copy.descriptor() + "-SI_users_v_idx.db"), new byte[] {1});
        Files.writeString(copy.path(Component.TOC), listed + "\n");

        VerificationReport report = Verification.verify(directory, copy.descriptor());

        assertThat(report.problems().isEmpty()).as(report.toString()).isEqualTo(isSound);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\0", "\0\0\0\n\0", "../../Data.db", "D\u00e4ta.db"})
    void reports_a_list_of_what_cannot_be_names(String listed, @TempDir Path directory) throws IOException {
        SSTable copy = Fixture.of("kv", "nb").findFirst().orElseThrow().copyTo(directory);
        String names = Files.readString(copy.path(Component.TOC));
        Files.writeString(copy.path(Component.TOC), names + listed + "\n");

        VerificationReport report = Verification.verify(directory, copy.descriptor());

        assertThat(report.problems()).isNotEmpty().allSatisfy(problem -> {
            assertThat(problem.component()).isEqualTo(Component.TOC);
            assertThat(problem.sentence()).contains("(expected: ").doesNotContain("\0");
        });
    }

    @Test
    void says_that_it_lists_the_first_problems_only(@TempDir Path directory) throws IOException {
        SSTable copy = Fixture.of("kv", "nb").findFirst().orElseThrow().copyTo(directory);
        String names =
                IntStream.range(0, 150).mapToObj(i -> "no name " + i + "\n").collect(Collectors.joining());
        Files.writeString(copy.path(Component.TOC), names);

        VerificationReport report = Verification.verify(directory, copy.descriptor());

        assertThat(report.problems()).hasSize(101);
        assertThat(report.problems().get(100).sentence())
                .endsWith(": ... and more (expected: none; the first 100 are listed)");
    }

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#samples")
    void reports_a_filter_that_lacks_a_key(Fixture fixture, @TempDir Path directory) throws IOException {
        SSTable copy = fixture.copyTo(directory);
        byte[] bytes = Files.readAllBytes(copy.path(Component.FILTER));
        java.util.Arrays.fill(bytes, 8, bytes.length, (byte) 0);
        Files.write(copy.path(Component.FILTER), bytes);

        VerificationReport report = Verification.verify(copy);

        assertThat(report.problems()).isNotEmpty().allMatch(problem -> problem.component() == Component.FILTER);
    }
}
