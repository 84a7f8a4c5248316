package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.streaming.ring.Node;
import io.sluice.tools.FreePort;
import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process that may not make another thread says so, goes on with what runs, and is well again when it may. */
@Timeout(120)
@Tag("full")
class NoMoreThreadsTest {
    private static final String PRLIMIT = "/usr/bin/prlimit";
    private static final String SETPRIV = "/usr/bin/setpriv";
    /** Nobody's: the limit counts all threads of a user, and does not hold for root. */
    private static final String USER = "54321";

    private static final int TABLES = 12;
    private static final long SLOW = 2 << 20;

    @TempDir
    Path temp;

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    /** Reads and writes what root may, but is not root. */
    private static List<String> asSomebody() {
        return isRoot()
                ? List.of(
                        SETPRIV,
                        "--reuid=" + USER,
                        "--regid=" + USER,
                        "--clear-groups",
                        "--inh-caps=+dac_override",
                        "--ambient-caps=+dac_override",
                        "--securebits=+no_setuid_fixup")
                : List.of();
    }

    private StartedProcess start(int port, Node source, Path errors) throws IOException {
        List<String> command = new ArrayList<>(asSomebody());
        command.addAll(JavaCommand.words(
                List.of(
                        "-Xmx128m",
                        "-XX:+UseSerialGC",
                        "-Dlogback.configurationFile=quiet.xml",
                        // The machine's own warnings of threads, which would stand between the answers.
                        "-Xlog:disable",
                        "-Xlog:all=warning:stderr"),
                CommandedProcess.class.getName(),
                temp.resolve("limited"),
                TABLES,
                port,
                SLOW,
                source.id(),
                source.address().port()));
        return StartedProcess.start(new ProcessBuilder(command).redirectError(errors.toFile()));
    }

    /** Sets the limit that is in force; the one up to which it may be raised again stays. */
    private static void limit(Process process, String threads) throws Exception {
        List<String> command = new ArrayList<>(asSomebody()); // who alone may
        command.addAll(List.of(PRLIMIT, "--pid", Long.toString(process.pid()), "--nproc=" + threads + ":"));
        StartedProcess.run(command);
    }

    private static String limitNow(Process process) throws IOException {
        return Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "limits")).stream()
                .filter(line -> line.startsWith("Max processes"))
                .map(line -> line.substring("Max processes".length()).strip())
                .map(limits -> limits.substring(0, limits.indexOf(' ')))
                .findAny()
                .orElseThrow();
    }

    /** The lines of the answer to a command, before the last. */
    private static List<String> answer(StartedProcess process, String command, String last)
            throws IOException, InterruptedException {
        process.say(command);
        List<String> lines = process.linesUntil(last::equals);
        return lines.subList(0, lines.size() - 1);
    }

    @Test
    void what_needs_a_thread_fails_with_the_limit_named_and_all_else_goes_on() throws Exception {
        assumeTrue(Files.isExecutable(Path.of(PRLIMIT)), "needs " + PRLIMIT);
        assumeTrue(!isRoot() || Files.isExecutable(Path.of(SETPRIV)), "root needs " + SETPRIV);
        Node source = TestTables.node("source");
        Path errors = temp.resolve("errors");
        int port = FreePort.onLoopback();
        try (StreamingNode sender = StreamingNode.start(
                source, StreamOptions.builder().build(), TestTables.store(temp.resolve("source"), TABLES, 8 << 20))) {
            try (StartedProcess process = start(port, source, errors)) {
                process.awaitLine("ready");
                answer(process, "begin 0 0", "begun"); // one that runs
                String before = limitNow(process.process());
                limit(process.process(), "1");

                answer(process, "begin 1 " + (TABLES - 1), "begun");
                List<String> refused = answer(process, "end 1 " + (TABLES - 1), "ended");

                assertThat(refused)
                        .filteredOn(line -> line.startsWith("failed"))
                        .isNotEmpty()
                        .allMatch(
                                line -> line.contains("LIMIT: session with source: cannot create a thread"),
                                "names what is missing")
                        .allMatch(line -> line.contains("'ulimit -u'"), "names the limit of the user")
                        .allMatch(line -> line.contains("pids.max"), "names the limit of the service")
                        .allMatch(line -> line.contains("kernel.threads-max"), "names the limit of the machine");
                requireAccepting(TestTables.node(UUID.nameUUIDFromBytes(new byte[1]), "commanded", port));
                answer(process, "fast", "done");
                assertThat(answer(process, "end 0 0", "ended")).containsExactly("complete 0");

                limit(process.process(), before);
                answer(process, "begin 1 " + (TABLES - 1), "begun");
                assertThat(answer(process, "end 1 " + (TABLES - 1), "ended"))
                        .hasSize(TABLES - 1)
                        .allMatch(line -> line.startsWith("complete"), "complete");
            }
            assertThat(sender.counters().bytesSent()).isPositive();
        }
    }

    /** The process is asked for what it holds: nothing, but it accepts, pins and answers. */
    private void requireAccepting(Node limited) throws Exception {
        try (StreamingNode other = StreamingNode.start(
                TestTables.node("other"),
                StreamOptions.builder().build(),
                TestTables.store(temp.resolve("other"), 1, 0))) {
            assertThat(other.execute(TestTables.plan(limited, 0))
                            .get(30, SECONDS)
                            .isComplete())
                    .isTrue();
        }
    }
}
