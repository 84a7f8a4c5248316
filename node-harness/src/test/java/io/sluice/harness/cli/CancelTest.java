package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.report.ExitCode;
import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whoever ends a run, however rudely, ends its nodes with it. */
@Timeout(120)
@Tag("full")
class CancelTest {
    private static final int SIGINT = 2;

    @TempDir
    private Path temporary = Path.of("");

    /** A run of which the nodes are up. */
    private StartedProcess running() throws Exception {
        Path work = Files.createDirectory(temporary.resolve("work"));
        Files.createFile(work.resolve(".sluice-work"));
        Files.writeString(work.resolve("report.html"), "of an earlier run");
        List<String> words = JavaCommand.words(
                List.of(),
                Main.class.getName(),
                "replace-node",
                "--size",
                "64MiB",
                "--config",
                Path.of("..", "conf", "sluice.yaml"),
                "--work-dir",
                work);
        StartedProcess process = StartedProcess.start(new ProcessBuilder(words)
                .redirectError(temporary.resolve("errors").toFile()));
        process.awaitLine(line -> line.startsWith("Killing"));
        return process;
    }

    private static void waitForEnd(List<ProcessHandle> nodes) throws Exception {
        for (ProcessHandle node : nodes) {
            node.onExit().get(30, TimeUnit.SECONDS);
        }
    }

    /** As in a build that a shell runs in the background: then only the other signal that asks politely is heard. */
    private static boolean isInterruptIgnored(Process process) throws IOException {
        Path status = Path.of("/proc/" + process.pid() + "/status");
        if (!Files.exists(status)) {
            return false; // not on Linux
        }
        String ignored = Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .findFirst()
                .orElseThrow();
        int signals = Integer.parseUnsignedInt(ignored.substring(ignored.length() - 8), 16);
        return (signals & 1 << (SIGINT - 1)) != 0;
    }

    @Test
    void ctrl_c_stops_all_nodes_and_says_where_the_logs_are() throws Exception {
        StartedProcess process = running();
        List<ProcessHandle> nodes = process.process().descendants().toList();
        assertThat(nodes).isNotEmpty();
        Path work = temporary.resolve("work");
        assertThat(work.resolve("endpoints.json")).exists();

        process.signal(isInterruptIgnored(process.process()) ? "TERM" : "INT");

        assertThat(process.awaitExit(Duration.ofSeconds(30))).isEqualTo(ExitCode.CANCELLED.number());
        waitForEnd(nodes);
        assertThat(Files.readString(temporary.resolve("errors")))
                .contains("sluice: cancelled, all nodes are stopped (logs: ");
        assertThat(work.resolve("endpoints.json")).doesNotExist();
        assertThat(work.resolve("admin.token")).doesNotExist();
        assertThat(work.resolve("report.html")).as("of the run before").doesNotExist();
    }

    @Test
    void nodes_do_not_outlive_a_killed_harness() throws Exception {
        StartedProcess process = running();
        List<ProcessHandle> nodes = process.process().descendants().toList();
        assertThat(nodes).isNotEmpty();

        process.kill();

        waitForEnd(nodes);
    }
}
