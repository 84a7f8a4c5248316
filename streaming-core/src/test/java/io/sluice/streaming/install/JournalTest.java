package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.streaming.install.Journal.Entry;
import io.sluice.streaming.message.ComponentManifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {
    private static final UUID TABLE = new UUID(1, 2);
    private static final Descriptor NAME =
            Descriptor.parse("nb-1-big-Data.db").orElseThrow().descriptor();
    private static final Content CONTENT =
            new Content("nb", List.of(new ComponentManifest(Component.DATA, 77, 0xdeadbeefL)));
    private static final List<Entry> ENTRIES = List.of(
            new Entry.Begun(NAME, CONTENT),
            new Entry.Landed(NAME, Component.DATA, 0, 70, 5),
            new Entry.Landed(NAME, Component.DATA, 70, 7, 0xffff_ffffL));

    @TempDir
    Path directory;

    private final Disk disk = new FileSystemDisk();
    private byte[] bytes = new byte[0];

    @BeforeEach
    void write() throws IOException {
        try (Journal journal = Journal.begin(disk, directory, TABLE, ENTRIES.subList(0, 1))) {
            journal.append(ENTRIES.get(1));
            journal.append(ENTRIES.get(2));
        }
        bytes = Files.readAllBytes(directory.resolve(Journal.NAME));
    }

    private List<Entry> readOf(byte[] content) throws IOException {
        Files.write(directory.resolve(Journal.NAME), content);
        return Journal.read(disk, directory, TABLE);
    }

    @Test
    void says_what_was_written_and_nothing_of_another_table() throws IOException {
        assertThat(Journal.read(disk, directory, TABLE)).isEqualTo(ENTRIES);
        assertThat(Journal.read(disk, directory, new UUID(9, 9))).isEmpty();
    }

    @Test
    void says_nothing_that_was_not_written_whatever_byte_is_damaged_and_wherever_it_ends() throws IOException {
        for (int i = 0; i < bytes.length; i++) {
            byte[] damaged = bytes.clone();
            damaged[i] ^= 4;
            List<Entry> fromDamaged = readOf(damaged);
            List<Entry> fromTorn = readOf(Arrays.copyOf(bytes, i));

            assertThat(fromDamaged).as("byte %d", i).isEqualTo(ENTRIES.subList(0, fromDamaged.size()));
            assertThat(fromDamaged).as("byte %d", i).hasSizeLessThan(ENTRIES.size());
            assertThat(fromTorn).as("first %d bytes", i).isEqualTo(ENTRIES.subList(0, fromTorn.size()));
        }
    }
}
