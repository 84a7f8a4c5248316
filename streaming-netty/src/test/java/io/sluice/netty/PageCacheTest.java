package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What was streamed is offered to who empties the page cache, at both ends, and small files are not. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class PageCacheTest {
    private static final int SSTABLES = 2;

    @TempDir
    Path temp;

    @Test
    void of_each_sstable_the_data_leaves_memory_at_both_ends() throws Exception {
        Queue<Path> sent = new ConcurrentLinkedQueue<>();
        Queue<Path> arrived = new ConcurrentLinkedQueue<>();
        Node source = TestTables.node("source");
        StreamOptions options = StreamOptions.builder().build();
        DirectoryStore from = TestTables.store(temp.resolve("source"), 1, 8 << 20);
        DirectoryStore to = TestTables.store(temp.resolve("target"), 1, 0);
        try (StreamingNode sender = StreamingNode.start(source, options, from, new FileSystemDisk(sent::add));
                StreamingNode receiver =
                        StreamingNode.start(TestTables.node("target"), options, to, new FileSystemDisk(file -> {
                            assertThat(file).exists();
                            arrived.add(file);
                        }))) {
            PlanResult result = receiver.execute(TestTables.plan(source, 0)).get(30, SECONDS);

            assertThat(sender.untrustedReason()).isEmpty();
            assertThat(result.isComplete()).isTrue();
        } // what the sender has still to do is done
        assertThat(arrived).hasSize(SSTABLES).allMatch(file -> file.toString().endsWith("-Data.db"));
        assertThat(sent)
                .filteredOn(file -> file.toString().endsWith("-Data.db"))
                .hasSize(SSTABLES);
        for (Path file : sent) {
            assertThat(Files.size(file)).isGreaterThanOrEqualTo(1 << 20);
        }
    }

    @Test
    void a_database_that_throws_errors_where_nobody_needs_an_answer_fails_no_transfer() throws Exception {
        Node source = TestTables.node("source");
        StreamOptions options = StreamOptions.builder()
                .foregroundLoad(() -> {
                    throw new AssertionError("boom in suffers");
                })
                .build();
        FileSystemDisk disk = new FileSystemDisk(file -> {
            throw new AssertionError("boom in drop");
        });
        DirectoryStore from = TestTables.store(temp.resolve("source"), 1, 8 << 20);
        DirectoryStore to = TestTables.store(temp.resolve("target"), 1, 0);
        try (StreamingNode sender = StreamingNode.start(source, options, from, disk);
                StreamingNode receiver = StreamingNode.start(TestTables.node("target"), options, to, disk)) {
            PlanResult result = receiver.execute(TestTables.plan(source, 0)).get(30, SECONDS);

            assertThat(result.isComplete()).isTrue();
            assertThat(sender.untrustedReason()).isEmpty();
        }
    }
}
