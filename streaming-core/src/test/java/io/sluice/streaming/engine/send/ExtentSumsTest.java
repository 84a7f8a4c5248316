package io.sluice.streaming.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.install.ForwardingDisk;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.mode.ModeChoice;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.session.SessionSettings;
import io.sluice.streaming.transfer.OfferedSSTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ExtentSumsTest {
    private static final long MOST_BYTES_OF_A_PAGE = 1L << 30;

    /** A disk whose files are as long as one wants. */
    private record LongFiles(Disk real) implements ForwardingDisk {
        @Override
        public long crc32(Path file, long offset, long lengthBytes) {
            return offset / SessionSettings.EXTENT_LENGTH_BYTES;
        }
    }

    @Test
    void a_long_file_is_answered_in_pages_that_a_slow_disk_reads_before_the_receiver_gives_up() throws IOException {
        int extents = 25_001;
        ComponentManifest index =
                new ComponentManifest(Component.INDEX, (extents - 1L) * SessionSettings.EXTENT_LENGTH_BYTES + 5, 0);
        Descriptor descriptor =
                Descriptor.parse("nb-1-big-Data.db").orElseThrow().descriptor();
        SSTableOffer offer = new SSTableOffer(
                0,
                new UUID(1, 1),
                descriptor,
                new Token(1),
                new Token(2),
                new ModeChoice(TransferMode.WHOLE, "all of it is wanted"),
                List.of(
                        new ComponentManifest(Component.STATISTICS, 10, 0),
                        index,
                        new ComponentManifest(Component.DATA, 10, 0)));
        List<Message.FileSums> pages = new ArrayList<>();

        ExtentSums.of(
                new OfferedSSTable(offer, Path.of("none"), descriptor, List.of()),
                Component.INDEX,
                SessionSettings.EXTENT_LENGTH_BYTES,
                new LongFiles(new FileSystemDisk()),
                pages::add);

        List<Integer> sums = new ArrayList<>();
        for (Message.FileSums page : pages) {
            assertThat(page.first()).isEqualTo(sums.size());
            assertThat(page.last()).isEqualTo(sums.size() + page.crc32s().size() == extents);
            assertThat((long) page.crc32s().size() * SessionSettings.EXTENT_LENGTH_BYTES)
                    .isBetween(1L, MOST_BYTES_OF_A_PAGE);
            sums.addAll(page.crc32s());
        }
        assertThat(sums).hasSize(extents).isSorted().doesNotHaveDuplicates();
    }
}
