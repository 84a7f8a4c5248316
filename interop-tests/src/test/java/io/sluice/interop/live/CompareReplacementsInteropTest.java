package io.sluice.interop.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.bench.replace.ReplaceBench;
import io.sluice.harness.json.Json;
import io.sluice.harness.report.ExitCode;
import io.sluice.tools.JavaCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./sluice compare --with cassandra --replace} on live nodes, with little data. */
class CompareReplacementsInteropTest {
    private static final long LONGEST_MINUTES = 20; // on a busy machine

    @TempDir
    private Path folder = Path.of("");

    private Path work() {
        return folder.resolve("work");
    }

    private Process compare(String... more) throws Exception {
        LiveCluster.requireCassandra("5.0");
        List<Object> words = new ArrayList<>(List.of(
                "--replace",
                "--with",
                "cassandra",
                "--size",
                "8MiB",
                "--config",
                Path.of("..", "conf", "sluice.yaml"),
                "--work-dir",
                work()));
        words.addAll(List.of(more));
        return JavaCommand.process(List.of("-Xmx256m", "-XX:+UseSerialGC"), ReplaceBench.class, words.toArray())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("out").toFile())
                .start();
    }

    private String output() throws Exception {
        return Files.readString(folder.resolve("out"));
    }

    @Test
    void both_cases_bring_the_same_content_and_leave_a_page_and_figures() throws Exception {
        Process compare = compare("--repeat", "1");

        assertThat(compare.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES)).isTrue();
        assertThat(compare.exitValue()).as(output()).isZero();
        JsonNode cases =
                Json.MAPPER.readTree(work().resolve("replace.json").toFile()).path("cases");
        assertThat(cases.findValuesAsText("name")).contains("whole", "rows");
        for (JsonNode one : cases) {
            JsonNode cassandra = one.path("rows").path(0).path("runs").path(0);
            JsonNode sluice = one.path("rows").path(1).path("runs").path(0);
            assertThat(cassandra.path("seconds").asDouble()).isPositive();
            assertThat(sluice.path("seconds").asDouble()).isPositive();
            assertThat(cassandra.path("mode").asText())
                    .as("how the table travelled")
                    .containsPattern(one.path("name").asText().equals("whole") ? "[1-9]\\d* whole" : "[1-9]\\d* rows");
        }
        assertThat(Files.readString(work().resolve("replace.html"))).contains("Replacing a dead node");
        assertThat(work().resolve("compare-replace")).doesNotExist();
        System.out.println(output());
    }

    @Test
    void who_ends_it_finds_nothing_running_or_left_behind() throws Exception {
        Process compare = compare("--case", "whole", "--repeat", "5");
        await().atMost(Duration.ofMinutes(LONGEST_MINUTES)).until(() -> output().contains("whole 1 of 5"));
        List<ProcessHandle> nodes = compare.descendants().toList();
        assertThat(nodes).isNotEmpty();

        compare.destroy();

        assertThat(compare.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(compare.exitValue()).as(output()).isEqualTo(ExitCode.CANCELLED.number());
        assertThat(output()).contains("cancelled, all nodes are stopped");
        await().untilAsserted(() -> assertThat(nodes).noneMatch(ProcessHandle::isAlive));
        assertThat(work().resolve("compare-replace")).doesNotExist();
    }
}
