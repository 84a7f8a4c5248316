package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.DiskFile;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.install.ForwardingDisk;
import io.sluice.streaming.install.ForwardingFile;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Never more files are open for what arrives than the setting says, and however few they are, all arrives. */
@Timeout(240)
@ExtendWith(LeakCheck.class)
@Tag("full")
class OpenFilesTest {
    @TempDir
    Path temp;

    /** Counts the component files that are open; its syncs take no time. */
    private static final class CountingDisk implements ForwardingDisk {
        private final Disk real = new FileSystemDisk();
        private final AtomicInteger open = new AtomicInteger();
        final AtomicInteger most = new AtomicInteger();

        @Override
        public Disk real() {
            return real;
        }

        @Override
        public DiskFile create(Path file) throws IOException {
            return counted(file, real.create(file));
        }

        @Override
        public DiskFile open(Path file) throws IOException {
            return counted(file, real.open(file));
        }

        @Override
        public void syncFile(Path file) {}

        @Override
        public void syncDirectory(Path directory) {}

        private DiskFile counted(Path name, DiskFile file) {
            if (!name.toString().endsWith(".db")) {
                return file;
            }
            most.accumulateAndGet(open.incrementAndGet(), Math::max);
            return new ForwardingFile() {
                @Override
                public DiskFile real() {
                    return file;
                }

                @Override
                public void sync() {}

                @Override
                public void close() throws IOException {
                    open.decrementAndGet();
                    ForwardingFile.super.close();
                }
            };
        }
    }

    @ParameterizedTest
    @CsvSource({
        // Large files, of which several connections want parts at once.
        "1, 2, 60000000, 4",
        "2, 2, 60000000, 4",
        // Many small ones.
        "1, 40, 400000, 4",
        "16, 1000, 16000000, 2"
    })
    void everything_arrives_with_few_files_open(int limit, int sstables, long bytes, int connections) throws Exception {
        Node source = TestTables.node("source");
        Path data = temp.resolve("source");
        new DataSetWriter(DataSet.ofBytes(1, bytes), Version.NB, WriterOptions.DEFAULTS)
                .write(TestTables.folder(data, TestTables.table(0)), sstables);
        DirectoryStore sourceStore = new DirectoryStore(data, TableDirectory.find(data));
        DirectoryStore store = TestTables.store(temp.resolve("target"), 1, 0);
        CountingDisk disk = new CountingDisk();
        StreamOptions few = StreamOptions.builder()
                .connectionsPerHost(connections)
                .maxOpenFiles(limit)
                .build();
        try (StreamingNode sender =
                        StreamingNode.start(source, StreamOptions.builder().build(), sourceStore);
                StreamingNode receiver = StreamingNode.start(TestTables.node("target"), few, store, disk)) {
            PlanResult result = receiver.execute(TestTables.plan(source, 0)).get(200, SECONDS);

            assertThat(result.tables()).allMatch(PlanResult.TableResult::installed, "installed");
            assertThat(store.live)
                    .hasSameSizeAs(TableDirectory.find(data).get(0).descriptors());
            assertThat(disk.most).hasPositiveValue().hasValueLessThanOrEqualTo(limit);
            assertThat(receiver.queues()).contains(new QueueSample("landing", "files", 0, limit));
            assertThat(sender.sending().get()).isEmpty();
        }
    }

    @Test
    void fewer_than_one_is_refused_at_once() {
        assertThatThrownBy(() -> StreamOptions.builder().maxOpenFiles(0))
                .hasMessage("stream_max_open_files: '0' (expected: auto, or a whole number from 1 to 1000000)");
    }
}
