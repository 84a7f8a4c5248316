package io.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That the removal of what has arrived is no part of what is measured, and is complete. */
class TwoEndsTest {
    private static final String FOLDER = "sluice.bench.target";

    @TempDir
    private Path temporary = Path.of("");

    @BeforeEach
    void choosesTheFolder() {
        System.setProperty(FOLDER, temporary.toString());
    }

    @AfterEach
    void choosesNone() {
        System.clearProperty(FOLDER);
    }

    private interface Start<T extends TwoEnds> {
        T of(String table) throws IOException;
    }

    private interface Move<T extends TwoEnds> {
        long once(T ends) throws Exception;
    }

    /** Data of SSTables, and what a plain receiver of rows writes. */
    private Set<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(temporary)) {
            return files.filter(file -> file.toString().endsWith("-Data.db") || file.endsWith("plain"))
                    .collect(Collectors.toSet());
        }
    }

    private <T extends TwoEnds> void removesWhatArrivesOnlyWhenAsked(Start<T> start, Move<T> move) throws Exception {
        Path table = new UniformTable(Version.NB, 1_000, 0).write(temporary.resolve("data"), WriterOptions.DEFAULTS, 1);
        try (T ends = start.of(table.toString())) {
            Set<Path> before = files();
            for (int operation = 0; operation < 2; operation++) {
                assertThat(move.once(ends)).isPositive();
                assertThat(files()).containsAll(before).hasSizeGreaterThan(before.size());

                ends.removeArrived();
                assertThat(files()).isEqualTo(before);
            }
        }
    }

    @Test
    void of_a_node_that_receives() throws Exception {
        removesWhatArrivesOnlyWhenAsked(table -> ReaderBench.start(table, false), ReaderBench::moveOnce);
    }

    @Test
    void of_a_node_that_sends() throws Exception {
        removesWhatArrivesOnlyWhenAsked(table -> WriterBench.start(table, false), WriterBench::moveOnce);
    }

    @Test
    void of_rows_that_are_received() throws Exception {
        removesWhatArrivesOnlyWhenAsked(PartialBench::start, PartialBench::receiveOnce);
    }

    @Test
    void of_rows_that_are_sent() throws Exception {
        removesWhatArrivesOnlyWhenAsked(PartialBench::start, PartialBench::sendOnce);
    }
}
