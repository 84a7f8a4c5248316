package io.sluice.streaming.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.component.AttachedFile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AttachedFilesTest {
    private static final AttachedFiles TWO = new AttachedFiles(
            List.of(
                    new AttachedFiles.Entry(new AttachedFile("SAI+aa+GroupMeta.db"), 1L << 40, 0xffffffffL),
                    new AttachedFiles.Entry(new AttachedFile("Scylla.db"), 0, 0)),
            new TreeSet<>(List.of("by_name", "by_age")));

    @Test
    void is_read_as_it_was_written() {
        byte[] header = TWO.encode();

        assertThat(AttachedFiles.decode(header)).isEqualTo(TWO);
        assertThat(AttachedFiles.headerBytes(ByteBuffer.wrap(header).getInt())).isEqualTo(header.length);
        assertThat(TWO.lengthBytes()).isEqualTo(header.length + (1L << 40));
    }

    @Test
    void has_a_checksum_over_each_byte() {
        byte[] header = TWO.encode();
        for (int i = 0; i < header.length; i++) {
            byte[] flipped = header.clone();
            flipped[i] ^= 1;

            assertThatThrownBy(() -> AttachedFiles.decode(flipped))
                    .as("byte %d", i)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void ends_where_it_says() {
        byte[] header = TWO.encode();
        for (int length = 0; length < header.length; length++) {
            byte[] cut = Arrays.copyOf(header, length);

            assertThatThrownBy(() -> AttachedFiles.decode(cut))
                    .as("%d bytes", length)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> AttachedFiles.decode(Arrays.copyOf(header, header.length + 1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** The name of the first file, with a checksum that is right. */
    private static byte[] headerWith(String name) {
        byte[] header = TWO.encode();
        System.arraycopy(name.getBytes(java.nio.charset.StandardCharsets.US_ASCII), 0, header, 9, name.length());
        CRC32 crc = new CRC32();
        crc.update(header, 0, header.length - 4);
        ByteBuffer.wrap(header).putInt(header.length - 4, (int) crc.getValue());
        return header;
    }

    @ParameterizedTest
    @ValueSource(strings = {"/AI+aa+GroupMeta.db", "../+aa+GroupMeta.db", "SAI-aa+GroupMeta.db", "SAI+aa+GroupMe.tmp"})
    void names_no_file_that_could_be_another(String name) {
        byte[] header = headerWith(name.length() < 19 ? name + " ".repeat(19 - name.length()) : name);

        assertThatThrownBy(() -> AttachedFiles.decode(header))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no component's name");
    }

    @Test
    void has_no_file_longer_than_may_be_offered() {
        byte[] header = TWO.encode();
        ByteBuffer.wrap(header).putLong(9 + TWO.files().get(0).file().name().length(), (1L << 44) + 1);
        CRC32 crc = new CRC32();
        crc.update(header, 0, header.length - 4);
        ByteBuffer.wrap(header).putInt(header.length - 4, (int) crc.getValue());

        assertThatThrownBy(() -> AttachedFiles.decode(header))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("SAI+aa+GroupMeta.db: length 17592186044417 (expected: 0 to 17592186044416)");
    }

    @Test
    void is_not_made_longer_than_a_receiver_reads() {
        List<AttachedFiles.Entry> files = new ArrayList<>();
        for (int i = 0; i < 4_096; i++) {
            files.add(new AttachedFiles.Entry(new AttachedFile("a".repeat(192) + (1_000 + i) + ".db"), 0, 0));
        }
        TreeSet<String> indexes = new TreeSet<>();
        for (int i = 0; i < 1_000; i++) {
            indexes.add("i".repeat(196) + (1_000 + i));
        }

        assertThatThrownBy(() -> new AttachedFiles(files, indexes))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("length of a header: 1069368 bytes (expected: at most 1048576)");
    }

    @Test
    void names_a_file_once() {
        AttachedFiles.Entry entry = TWO.files().get(1);

        assertThatThrownBy(() -> new AttachedFiles(List.of(entry, entry), new TreeSet<>()))
                .hasMessageContaining("Scylla.db twice");
    }
}
