package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class ReadProgressTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.sluice.streaming.install");
    private final Level before = logger.getLevel();
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @TempDir
    Path temp;

    @BeforeEach
    void capture_the_log() {
        logger.setLevel(Level.INFO);
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void restore_the_log() {
        logger.detachAppender(log);
        logger.setLevel(before);
    }

    private List<String> lines(String part) {
        return log.list.stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.contains(part))
                .toList();
    }

    @Test
    void a_start_says_how_many_bytes_it_reads_before_a_committed_set_goes_live() throws IOException {
        RecordingStore store = new RecordingStore(temp, CrashedInstall.table());
        CrashedInstall crashed = CrashedInstall.of(store);
        long lengthBytes = 0;
        FileSystemDisk disk = new FileSystemDisk();
        for (Path file : disk.list(store.liveDirectory(store.table))) {
            lengthBytes += disk.size(file);
        }
        assertThat(lines("bytes are read")).isEmpty();

        StagingArea.open(store, disk).close();

        assertThat(lines("bytes are read")).singleElement().asString().startsWith(crashed.set() + ": " + lengthBytes);
        assertThat(store.wentLive).containsExactly(CrashedInstall.INSTALL);
    }

    @Test
    void a_start_says_which_files_it_compares_in_a_data_directory_that_was_copied() throws IOException {
        RecordingStore store = new RecordingStore(temp, CrashedInstall.table());
        CrashedInstall.of(store);
        Path live = store.liveDirectory(store.table).resolve("nb-502-big-Data.db");
        byte[] bytes = Files.readAllBytes(live);
        Files.delete(live);
        Files.write(live, bytes);

        StagingArea.open(store, new FileSystemDisk()).close();

        assertThat(lines(live + ": ")).singleElement().asString().contains(bytes.length + " bytes");
        assertThat(store.wentLive).containsExactly(CrashedInstall.INSTALL);
    }

    @Test
    void says_from_time_to_time_how_much_is_read_also_within_a_file_and_sums_it_up() throws IOException {
        byte[] content = new byte[2_500];
        new Random(9).nextBytes(content);
        CRC32 crc = new CRC32();
        crc.update(content);
        Path file = Files.write(temp.resolve("file"), content);
        RecordingStore store = new RecordingStore(temp, CrashedInstall.table());
        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            SetFolder folder = area.volumes().first().folder(new SetName("plan", "table"));
            ReadProgress progress = new ReadProgress(folder, 5_000, 1_000);

            assertThat(progress.crc32(new FileSystemDisk(), file, content.length))
                    .isEqualTo(crc.getValue());
            assertThat(progress.crc32(new FileSystemDisk(), file, content.length))
                    .isEqualTo(crc.getValue());
        }

        assertThat(lines("bytes are read"))
                .extracting(line -> line.substring(line.indexOf(": ") + 2))
                .containsExactly(
                        "5000 bytes are read before the committed set goes live",
                        "1000 of 5000 bytes are read",
                        "2000 of 5000 bytes are read",
                        "3000 of 5000 bytes are read",
                        "4000 of 5000 bytes are read",
                        "5000 of 5000 bytes are read");
    }
}
