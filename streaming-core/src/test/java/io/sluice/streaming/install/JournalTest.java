package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.streaming.install.Journal.Entry;
import io.sluice.streaming.message.ComponentManifest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
    private static final SSTableFingerprint CONTENT =
            new SSTableFingerprint("nb", List.of(new ComponentManifest(Component.DATA, 77, 0xdeadbeefL)));
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
        return Journal.read(disk, directory, TABLE).entries();
    }

    @Test
    void says_what_was_written_and_nothing_of_another_table() throws IOException {
        assertThat(Journal.read(disk, directory, TABLE).entries()).isEqualTo(ENTRIES);
        assertThat(Journal.read(disk, directory, new UUID(9, 9)).entries()).isEmpty();
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

    @Test
    void says_at_which_line_it_ends_and_why() {
        String text = new String(bytes, StandardCharsets.UTF_8);
        String torn = text.substring(0, text.length() - 3);
        String damaged = text.replace(" 70 ", " 71 ");
        Journal.Contents of = Journal.decode(torn.getBytes(StandardCharsets.UTF_8), TABLE);

        assertThat(Journal.decode(bytes, TABLE).end()).isEmpty();
        assertThat(of.entries()).isEqualTo(ENTRIES.subList(0, 2));
        assertThat(of.end()).hasValueSatisfying(end -> {
            assertThat(end.line()).isEqualTo(4);
            assertThat(end).hasMessageContaining("landed nb-1-big Data.db 70 7 ffffffff");
        });
        assertThat(Journal.decode(damaged.getBytes(StandardCharsets.UTF_8), TABLE)
                        .end())
                .hasValueSatisfying(end -> assertThat(end.line()).isEqualTo(3));
        assertThat(Journal.decode(bytes, new UUID(9, 9)).end())
                .hasValueSatisfying(end -> assertThat(end)
                        .hasMessageStartingWith(
                                "line 1: 'sluice-journal-1 " + TABLE + "' (expected: sluice-journal-1 "));
        assertThat(Journal.decode(new byte[0], TABLE).end())
                .hasValueSatisfying(end -> assertThat(end.line()).isEqualTo(1));
    }
}
