package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.Limit;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A cluster that is upgraded node by node: this version and a frozen jar of the one before, in a process of its own.
 */
@Tag("full")
@Timeout(120)
class OlderVersionTest {
    private static final Path OLDER = Path.of("src", "test", "older");
    private static final long TABLE_BYTES = 8 << 20;
    private static final long SLOW_BYTES_PER_SECOND = 1 << 20;
    private static final String HALF = "-1:9223372036854775806";

    private final UUID planId = UUID.randomUUID();

    @TempDir
    private Path temp = Path.of("");

    @ParameterizedTest
    @ValueSource(strings = {"full", HALF})
    void a_newer_node_receives_from_an_older_one(String ranges) throws Exception {
        Path source = table("source", TABLE_BYTES);
        Path target = table("target", 0);
        Node older = TestTables.node("older");
        try (StartedProcess process = olderNode(older, temp.resolve("source"));
                StreamingNode newer = newer("newer", "target", StreamOptions.builder())) {
            process.awaitLine("ready");

            PlanResult result = newer.execute(plan(older, ranges(ranges))).get(60, SECONDS);

            assertThat(result.tables()).allMatch(PlanResult.TableResult::installed, "installed");
        }
        assertThat(digest(target, TokenRanges.FULL)).isEqualTo(digest(source, ranges(ranges)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"full", HALF})
    @SuppressWarnings("try") // the node answers while it is there
    void an_older_node_asks_and_receives_from_a_newer_one(String ranges) throws Exception {
        Path source = table("source", TABLE_BYTES);
        Path target = table("target", 0);
        Node self = TestTables.node("newer");
        try (StreamingNode newer = newer(self, "source", StreamOptions.builder())) {
            List<String> printed = fetchByOlder(self, ranges, Long.MAX_VALUE);

            assertThat(printed).element(1).isEqualTo("spans " + (ranges.equals(HALF) ? 1 : 2));
            assertThat(printed).last().asString().startsWith("result true");
        }
        assertThat(digest(target, TokenRanges.FULL)).isEqualTo(digest(source, ranges(ranges)));
    }

    @Test
    void a_node_that_was_upgraded_goes_on_with_what_the_older_one_had_received() throws Exception {
        Path source = table("source", TABLE_BYTES);
        Path target = table("target", 0);
        Node self = TestTables.node("source");
        StreamOptions.Builder slow = StreamOptions.builder()
                .throughput(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, SLOW_BYTES_PER_SECOND);
        try (StreamingNode newer = newer(self, "source", slow)) {
            fetchByOlder(self, "full", TABLE_BYTES / 4); // and is killed
            newer.throughput(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, 0);
            try (StreamingNode upgraded = newer("older", "target", StreamOptions.builder())) {
                PlanResult result =
                        upgraded.execute(plan(self, TokenRanges.FULL)).get(60, SECONDS);

                assertThat(result.isComplete()).isTrue();
                assertThat(result.sessions()).anyMatch(session -> session.bytesResumed() > 0, "resumed");
            }
        }
        assertThat(digest(target, TokenRanges.FULL)).isEqualTo(digest(source, TokenRanges.FULL));
    }

    /** What an older node prints until it has all, or is killed after so many bytes. */
    private List<String> fetchByOlder(Node self, String ranges, long enoughBytes) throws Exception {
        try (StartedProcess process = olderNode(
                TestTables.node("older"),
                temp.resolve("target"),
                self.name(),
                String.valueOf(self.address().port()),
                planId.toString(),
                ranges)) {
            return process.linesUntil(line -> line.startsWith("result ")
                    || (line.startsWith("bytes ") && Long.parseLong(line.substring(6)) >= enoughBytes));
        }
    }

    private StartedProcess olderNode(Node self, Path data, String... more) throws IOException {
        List<String> command =
                new ArrayList<>(List.of(JavaCommand.executable(), "-XX:TieredStopAtLevel=1", "-cp", classPath()));
        command.add(OLDER.resolve("OlderNode.java").toString());
        command.addAll(List.of(self.name(), String.valueOf(self.address().port()), data.toString()));
        command.addAll(List.of(more));
        return StartedProcess.start(new ProcessBuilder(command)
                .redirectError(temp.resolve("older.log").toFile()));
    }

    /** The frozen jar, with the dependencies of this version but for Logback: what is printed is read. */
    private static String classPath() {
        return Stream.concat(
                        Stream.of(OLDER.resolve("sluice-protocol-3.jar").toString()),
                        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                                .filter(entry -> entry.endsWith(".jar"))
                                .filter(jar ->
                                        !Path.of(jar).getFileName().toString().matches("(sluice|logback)-.*")))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private StreamPlan plan(Node source, TokenRanges ranges) {
        StreamRequest request = new StreamRequest(source, TestTables.table(0), ranges);
        return new StreamPlan(planId, Operation.REPLACE, List.of(request));
    }

    private static TokenRanges ranges(String text) {
        return text.equals("full") ? TokenRanges.FULL : TokenRanges.of(TokenRange.of(-1, 9_223_372_036_854_775_806L));
    }

    /** The folder of a table in the data directory of that name. */
    private Path table(String data, long bytes) throws IOException {
        TestTables.store(temp.resolve(data), 1, bytes);
        return TestTables.folder(temp.resolve(data), TestTables.table(0));
    }

    private StreamingNode newer(String name, String data, StreamOptions.Builder options) throws IOException {
        return newer(TestTables.node(name), data, options);
    }

    private StreamingNode newer(Node self, String data, StreamOptions.Builder options) throws IOException {
        return StreamingNode.start(self, options.build(), TestTables.store(temp.resolve(data), 1, 0));
    }

    private static Object digest(Path folder, TokenRanges ranges) throws IOException {
        List<SSTable> sstables = new ArrayList<>();
        for (Descriptor descriptor :
                new TableDirectory(folder, "ks", "t0", TestTables.table(0).id()).descriptors()) {
            sstables.add(SSTable.open(folder, descriptor));
        }
        assertThat(sstables).isNotEmpty();
        return ContentDigest.of(sstables, ranges);
    }
}
