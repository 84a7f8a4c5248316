package io.sluice.streaming.engine.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.install.OrphanedFiles;
import io.sluice.streaming.install.RecordingStore;
import io.sluice.streaming.install.SetOverException;
import io.sluice.streaming.install.StagedSet;
import io.sluice.streaming.install.StagingArea;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.mode.ModeChoice;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.transfer.block.DataReceiver;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a session does that lags behind the others which sent a table in its place. */
class StagedFilesTest {
    private static final UUID PLAN = new UUID(1, 1);
    private static final UUID SESSION = new UUID(2, 2);
    private static final TableRef TABLE = new TableRef(new UUID(3, 3), "ks", "t");
    private static final Extent EXTENT = new Extent(0, Component.DATA, 0, 100);

    @TempDir
    Path temp;

    private final AtomicLong written = new AtomicLong();

    private static SSTableOffer offer() {
        return new SSTableOffer(
                0,
                TABLE.id(),
                Descriptor.parse("nb-1-big-Data.db").orElseThrow().descriptor(),
                new Token(1),
                new Token(2),
                new ModeChoice(TransferMode.WHOLE, "all of it is wanted"),
                List.of(
                        new ComponentManifest(Component.STATISTICS, 10, 1),
                        new ComponentManifest(Component.INDEX, 10, 1),
                        new ComponentManifest(Component.DATA, 100, 1)));
    }

    @Test
    void bytes_of_a_table_that_is_over_go_nowhere_and_its_sstable_cannot_be_completed() throws IOException {
        RecordingStore store = new RecordingStore(Files.createDirectories(temp.resolve("node")), TABLE);
        OpenFiles places = new OpenFiles(1);
        StagedFiles files = new StagedFiles(new WriteBack(Runnable::run, Long.MAX_VALUE), places, error -> {
            throw new AssertionError(error);
        });
        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            StagedSet set = area.begin(PLAN, TABLE);
            SSTableOffer offer = offer();
            files.add(set.land(SESSION, offer, offer::source), written::addAndGet);
            area.discard(set);

            ByteBuffer bytes = ByteBuffer.allocate(100);
            try (DataReceiver.Landing landing = files.enter(EXTENT)) {
                landing.write(bytes, 0);
            }
            files.landed(EXTENT, 7);

            assertThat(bytes.hasRemaining()).isFalse();
            assertThat(written).hasValue(0);
            assertThatThrownBy(() -> files.close(offer)).isInstanceOf(SetOverException.class);
            files.closeAll();
            area.end(PLAN);
            assertThat(OrphanedFiles.of(area)).isEmpty();
        }
        places.take(); // there is one, and it was released each time
    }
}
