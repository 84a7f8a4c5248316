package io.sluice.streaming.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.transfer.ModeSettings;
import io.sluice.streaming.transfer.NoProgress;
import io.sluice.streaming.transfer.OfferedSSTable;
import io.sluice.streaming.transfer.SSTableOffers;
import io.sluice.streaming.transfer.block.Pinned;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every way in which a pinned file can be changed under a transfer. */
class SourceFilesTest {
    private static final Path FIXTURE =
            Path.of("..", "sstable-format", "src", "test", "resources", "fixtures", "kv", "nb");
    private static final TableRef TABLE = new TableRef(new UUID(1, 1), "ks", "kv");

    @TempDir
    Path temp;

    private final SourceFiles files = new SourceFiles(new FileSystemDisk());
    private OfferedSSTable offered;
    private Path data;

    @BeforeEach
    void offer_an_sstable() throws IOException {
        TableDirectory original = TableDirectory.find(FIXTURE).get(0);
        try (Stream<Path> all = Files.list(original.path())) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                Files.copy(file, temp.resolve(file.getFileName()));
            }
        }
        Descriptor descriptor = original.descriptors().get(0);
        SSTable sstable = SSTable.open(temp, descriptor);
        data = sstable.path(Component.DATA);
        Files.setPosixFilePermissions(data, java.nio.file.attribute.PosixFilePermissions.fromString("rw-r--r--"));
        SSTableOffers offers = new SSTableOffers(
                new LocalFiles(),
                temp.resolve("slices"),
                ROOM,
                new ModeSettings(true, true),
                Runnable::run,
                new NoProgress());
        NoProgress.prepare(offers, Pinned.of(TABLE, List.of(sstable)), TokenRanges.FULL);
        offered = offers.offers().get(0);
        files.add(offered);
    }

    /** As much room as wanted. */
    private static final SSTableOffers.SpaceLease ROOM = new SSTableOffers.SpaceLease() {
        @Override
        public void reserve(long lengthBytes) {}

        @Override
        public void release(long lengthBytes) {}
    };

    private String changed() {
        Optional<Failure> failure = files.changed(offered);
        assertThat(failure).map(Failure::code).contains(ErrorCode.SOURCE_CHANGED);
        return failure.orElseThrow().reason();
    }

    @Test
    void an_untouched_file_is_as_it_was() {
        assertThat(files.changed(offered)).isEmpty();
    }

    @Test
    void notices_a_file_that_was_truncated() throws IOException {
        long length = Files.size(data);
        Files.write(data, new byte[3]);

        assertThat(changed())
                .contains("Data.db changed while it was being sent: its length is 3 (was: " + length + ")");
    }

    @Test
    void notices_a_file_that_was_written_over() throws IOException {
        FileTime before = Files.getLastModifiedTime(data);
        byte[] bytes = Files.readAllBytes(data);
        Files.write(data, bytes);
        Files.setLastModifiedTime(data, FileTime.fromMillis(before.toMillis() + 5_000));

        assertThat(changed()).contains("it was written at");
    }

    @Test
    void notices_another_file_of_the_same_name_length_and_time() throws IOException {
        FileTime before = Files.getLastModifiedTime(data);
        Path other = temp.resolve("other");
        Files.copy(data, other);
        Files.setLastModifiedTime(other, before);
        Files.move(other, data, StandardCopyOption.REPLACE_EXISTING);

        assertThat(changed()).contains("it was replaced by another file");
    }

    @Test
    void notices_a_file_that_is_gone() throws IOException {
        Files.delete(data);

        assertThat(changed()).contains("it can no longer be read").contains("NoSuchFile");
    }
}
