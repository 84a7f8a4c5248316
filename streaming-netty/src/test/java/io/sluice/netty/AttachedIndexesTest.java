package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.Verification;
import io.sluice.sstable.component.AttachedFile;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What others keep beside an SSTable goes where it goes, or is built there, or the table is refused. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class AttachedIndexesTest {
    private static final TokenRanges PART = TokenRanges.of(TokenRange.of(Long.MIN_VALUE, Long.MIN_VALUE / 2));
    private static final int LONG_FILE_BYTES = 9 << 20; // more than an extent

    @TempDir
    Path temp;

    /** A table of two SSTables, each with files of two indexes and of another database. */
    private DirectoryStore source() throws IOException {
        Path data = temp.resolve("source");
        DirectoryStore store = TestTables.store(data, 1, 1 << 20);
        Random random = new Random(1);
        for (SSTable sstable : sstables(data)) {
            write(sstable, "SAI+aa+GroupComplete.db", new byte[0]);
            write(sstable, "SAI+aa+by_name+TermsData.db", random.ints(LONG_FILE_BYTES / 4));
            write(sstable, "SI_by_age.db", random.ints(100));
            write(sstable, "Scylla.db", random.ints(7));
        }
        return store;
    }

    private static void write(SSTable sstable, String name, java.util.stream.IntStream numbers) throws IOException {
        java.nio.ByteBuffer bytes = java.nio.ByteBuffer.allocate(LONG_FILE_BYTES);
        numbers.forEach(bytes::putInt);
        write(sstable, name, java.util.Arrays.copyOf(bytes.array(), bytes.position()));
    }

    private static void write(SSTable sstable, String name, byte[] content) throws IOException {
        Files.write(sstable.path(new AttachedFile(name)), content);
        Files.writeString(sstable.path(Component.TOC), name + "\n", StandardOpenOption.APPEND);
    }

    private static List<SSTable> sstables(Path data) throws IOException {
        List<SSTable> sstables = new ArrayList<>();
        TableDirectory directory = TableDirectory.find(data).get(0);
        for (Descriptor descriptor : directory.descriptors()) {
            sstables.add(SSTable.open(directory.path(), descriptor));
        }
        return sstables;
    }

    /** By the first token of its SSTable: their contents, by name. */
    private static Map<Object, Map<String, Integer>> attached(Path data) throws IOException {
        Map<Object, Map<String, Integer>> all = new TreeMap<>();
        for (SSTable sstable : sstables(data)) {
            Map<String, Integer> hashes = new TreeMap<>();
            for (AttachedFile file : sstable.attached().keySet()) {
                hashes.put(file.name(), java.util.Arrays.hashCode(Files.readAllBytes(sstable.path(file))));
            }
            all.put(sstable.firstToken(), hashes);
        }
        return all;
    }

    private PlanResult fetch(DirectoryStore from, DirectoryStore to, TokenRanges ranges, StreamOptions options)
            throws Exception {
        Node sender = TestTables.node("source");
        StreamPlan plan = new StreamPlan(
                UUID.randomUUID(), Operation.REPLACE, List.of(new StreamRequest(sender, TestTables.table(0), ranges)));
        try (StreamingNode source = StreamingNode.start(sender, options, from);
                StreamingNode target = StreamingNode.start(TestTables.node("target"), options, to)) {
            assertThat(source.sending().get()).isEmpty();
            return target.execute(plan).get(30, SECONDS);
        }
    }

    @Test
    void arrive_with_whole_sstables() throws Exception {
        DirectoryStore from = source();
        DirectoryStore to = TestTables.store(temp.resolve("target"), 1, 0);

        PlanResult result =
                fetch(from, to, TokenRanges.FULL, StreamOptions.builder().build());

        assertThat(result.isComplete()).as(result.toString()).isTrue();
        assertThat(attached(temp.resolve("target"))).hasSize(2).isEqualTo(attached(temp.resolve("source")));
        assertThat(to.calls).noneMatch(call -> call.startsWith("build"));
        for (SSTable sstable : sstables(temp.resolve("target"))) {
            assertThat(Verification.verify(sstable).problems()).isEmpty();
        }
        assertThat(temp.resolve("target/staging")).isDirectoryNotContaining(path -> Files.isDirectory(path));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void are_built_by_a_database_that_does_so_where_parts_arrive(boolean slices) throws Exception {
        DirectoryStore from = source();
        DirectoryStore to = TestTables.store(temp.resolve("target"), 1, 0);
        to.buildsIndexes = true;

        PlanResult result = fetch(
                from, to, PART, StreamOptions.builder().streamSlices(slices).build());

        assertThat(result.isComplete()).as(result.toString()).isTrue();
        assertThat(to.calls).containsSubsequence("build [by_age, by_name]", "activate t0", "activated t0");
        assertThat(attached(temp.resolve("target")))
                .isNotEmpty()
                .allSatisfy((token, files) -> assertThat(files).isEmpty());
    }

    @Test
    void that_nobody_would_build_keep_parts_of_a_table_where_they_are() throws Exception {
        DirectoryStore from = source();
        DirectoryStore to = TestTables.store(temp.resolve("target"), 1, 0);

        PlanResult result = fetch(from, to, PART, StreamOptions.builder().build());

        assertThat(result.isComplete()).isFalse();
        assertThat(result.tables().get(0).reason())
                .startsWith("NOT_WHOLE: ")
                .contains("secondary indexes, [by_age, by_name]");
        assertThat(to.live).isEmpty();
    }
}
