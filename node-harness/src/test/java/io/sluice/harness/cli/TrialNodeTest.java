package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Uninterruptibles;
import io.sluice.harness.content.TableFiles;
import io.sluice.sstable.SSTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What nodes do while the classes of nodes are recorded: what they do not do is not archived. */
class TrialNodeTest {
    private static final Path HOME = Path.of("..");

    @TempDir
    Path temp;

    @Test
    void nodes_of_the_archive_stream_whole_sstables_and_slices() throws IOException {
        Path data = temp.resolve("data");
        Path schema = Files.writeString(
                temp.resolve("schema.cql"), "CREATE TABLE shop.users (id int PRIMARY KEY, name text);");
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        String[] generate = {"sstable", "generate", "--schema", schema.toString(), "--size", "1MiB", data.toString()};
        assertThat(Main.commandLine(generate).setOut(nowhere).setErr(nowhere).execute(generate))
                .isZero();
        Path work = Files.createDirectory(temp.resolve("work"));
        Path received = work.resolve("node2");
        try (TrialNode source = TrialNode.start("node1", data, HOME, work);
                TrialNode receiver = TrialNode.start("node2", received, HOME, work)) {
            assertThat(source.isUp() && receiver.isUp()).isTrue();

            assertThat(receiver.replaceAnother(source)).isTrue();
            long whole = lengthOf(received);
            assertThat(whole).isEqualTo(lengthOf(data));

            assertThat(receiver.takeHalfOf(source)).isTrue();
            assertThat(lengthOf(received) - whole).isBetween(whole / 3, whole * 2 / 3);
        }
    }

    @Test
    void a_node_that_cannot_start_costs_the_archive_nothing_else() throws IOException {
        Path noFolder = Files.createFile(temp.resolve("file"));
        try (TrialNode node = TrialNode.start("node1", noFolder, HOME, temp)) {
            assertThat(node.isUp()).isFalse();
        }
    }

    /** As on two processors with Java 25, where the first node took the only thread of the pool. */
    @Test
    void a_node_starts_although_all_threads_of_the_common_pool_are_taken() throws IOException {
        CountDownLatch over = new CountDownLatch(1);
        CountDownLatch taken = new CountDownLatch(ForkJoinPool.getCommonPoolParallelism());
        for (long i = taken.getCount(); i > 0; i--) {
            ForkJoinPool.commonPool().execute(() -> {
                taken.countDown();
                Uninterruptibles.awaitUninterruptibly(over);
            });
        }
        Uninterruptibles.awaitUninterruptibly(taken);
        try (TrialNode node = TrialNode.start("node1", temp.resolve("data"), HOME, temp)) {
            assertThat(node.isUp()).isTrue();
        } finally {
            over.countDown();
        }
    }

    @Test
    void a_node_that_is_not_up_yet_has_ended_when_it_is_closed() throws IOException {
        TrialNode node = TrialNode.start("node1", temp.resolve("data"), HOME, temp);

        node.close();

        assertThat(node.isRunning()).isFalse();
    }

    private static long lengthOf(Path dataDirectory) throws IOException {
        List<TableFiles> tables = TableFiles.openAll(dataDirectory);
        long bytes = 0;
        for (TableFiles table : tables) {
            for (SSTable sstable : table.sstables()) {
                bytes += sstable.dataLengthBytes();
            }
        }
        return bytes;
    }
}
