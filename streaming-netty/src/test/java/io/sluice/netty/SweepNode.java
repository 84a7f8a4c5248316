package io.sluice.netty;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;

/** A {@link SweepProcess}, as the test that commands it sees it. Not thread-safe. */
final class SweepNode {
    final Process process;
    private final BufferedReader out;

    private SweepNode(Process process) {
        this.process = process;
        this.out = process.inputReader(StandardCharsets.UTF_8);
    }

    /** @param logs the folder for what it logs */
    static SweepNode start(String name, Path logs) throws IOException {
        return new SweepNode(new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx96m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-Dlogback.configurationFile=quiet.xml",
                        SweepProcess.class.getName(),
                        name)
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

    void kill() {
        process.destroyForcibly();
    }
}
