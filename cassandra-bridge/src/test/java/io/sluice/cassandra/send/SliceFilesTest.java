package io.sluice.cassandra.send;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.SliceWriter;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class SliceFilesTest {
    private static final TokenRanges MOST = TokenRanges.of(TokenRange.of(Long.MIN_VALUE + 1, Long.MAX_VALUE / 2));

    @TempDir
    private Path temp = Path.of("");

    private SSTable source() throws IOException {
        List<Descriptor> written = new DataSetWriter(DataSet.ofBytes(1, 1 << 20), Version.NB, WriterOptions.DEFAULTS)
                .write(temp, TokenRanges.FULL.ranges(), 1, 1);
        return SSTable.open(temp, written.get(0));
    }

    /** Cuts most of {@code source}; the lines at WARN. */
    private static List<String> cut(SSTable source) throws IOException {
        Logger logger = (Logger) LoggerFactory.getLogger(SliceFiles.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try (SliceFiles slices = new SliceFiles(() -> {})) {
            SliceWriter.SliceRegions slice =
                    slices.cut(new SSTableTransfer.Slice(source, MOST, 1)).orElseThrow();
            assertThat(slice.files().path(Component.FILTER)).isNotEmptyFile();
        } finally {
            logger.detachAppender(lines);
        }
        return lines.list.stream()
                .filter(line -> line.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    void a_slice_whose_source_has_a_damaged_filter_has_a_new_one_and_the_log_says_so() throws IOException {
        SSTable source = source();
        Path filter = source.path(Component.FILTER);
        byte[] bytes = Files.readAllBytes(filter);
        bytes[0] = 1; // the number of hashes is above all that are allowed
        Files.write(filter, bytes);

        assertThat(cut(source))
                .singleElement()
                .asString()
                .contains(filter.getFileName().toString())
                .endsWith("its slice has a new filter: verify the SSTable, and write it again");
    }

    @Test
    void of_a_sound_one_the_log_says_nothing() throws IOException {
        assertThat(cut(source())).isEmpty();
    }

    @Test
    void a_step_that_fails_ends_the_cutting_within_a_slice() throws IOException {
        SSTable source = source();
        SSTableTransfer.Slice slice = new SSTableTransfer.Slice(source, MOST, 1);
        try (SliceFiles slices = new SliceFiles(() -> {
            throw new IllegalStateException("cancelled");
        })) {
            assertThatThrownBy(() -> slices.cut(slice)).hasMessage("cancelled");
        }
    }
}
