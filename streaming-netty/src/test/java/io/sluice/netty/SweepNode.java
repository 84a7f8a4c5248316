package io.sluice.netty;

import io.sluice.tools.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** A {@link SweepProcess}, as the test that commands it sees it. Not thread-safe. */
final class SweepNode {
    private static final long SECONDS_TO_END = 60;

    final String name;
    final Process process;
    private final BufferedReader out;

    private SweepNode(String name, Process process) {
        this.name = name;
        this.process = process;
        this.out = process.inputReader(StandardCharsets.UTF_8);
    }

    /** @param logs the folder for what it logs */
    static SweepNode start(String name, Path logs) throws IOException {
        return start(name, logs, SweepJvm.plain());
    }

    /** The same in a virtual machine of its own kind. */
    static SweepNode start(String name, Path logs, SweepJvm jvm) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(JavaCommand.executable());
        command.addAll(jvm.flags());
        command.addAll(List.of(SweepProcess.class.getName(), name));
        return new SweepNode(
                name,
                new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.appendTo(
                                logs.resolve(name + ".log").toFile()))
                        .start());
    }

    /** Its answer to a command. */
    String say(String command) throws IOException {
        send(command);
        return Objects.requireNonNullElse(out.readLine(), "its process has ended");
    }

    /** A command of which nobody awaits the answer. */
    void send(String command) throws IOException {
        process.getOutputStream().write((command + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    /** Has it end by itself: its exit code. */
    int end() throws IOException, InterruptedException {
        process.getOutputStream().close();
        if (!process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
            throw new AssertionError(name + ": does not end within " + SECONDS_TO_END + " s of the end of its input");
        }
        return process.exitValue();
    }

    void kill() {
        process.destroyForcibly();
    }
}
