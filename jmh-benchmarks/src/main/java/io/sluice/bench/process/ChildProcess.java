package io.sluice.bench.process;

import io.sluice.harness.json.Json;
import io.sluice.tools.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process that was started, and is asked; see {@link ChildCommands}. Not thread-safe. */
public final class ChildProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader answers;
    private final PrintWriter questions;

    private ChildProcess(Process process) {
        this.process = process;
        this.answers = process.inputReader(StandardCharsets.UTF_8);
        this.questions = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
    }

    /**
     * Starts it and waits until it is ready.
     *
     * @param main its main class
     * @param options of the virtual machine: the heap, and other arguments
     */
    public static ChildProcess start(Class<?> main, List<String> options, Path log, String... arguments)
            throws IOException {
        return startAt(List.of(), main, options, log, arguments);
    }

    /**
     * The same, by a command that runs it elsewhere.
     *
     * @param place what the command begins with, as {@code ip netns exec NAME}; empty for here
     */
    public static ChildProcess startAt(
            List<String> place, Class<?> main, List<String> options, Path log, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(options);
        all.addAll(List.of("-XX:+UseSerialGC", "-Dsluice.log=" + log));
        List<String> command = new ArrayList<>(place);
        command.addAll(JavaCommand.words(all, main.getName(), (Object[]) arguments));
        ChildProcess child = new ChildProcess(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start());
        if (!"ready".equals(child.answers.readLine())) {
            child.close();
            throw new IOException("the " + arguments[0] + " process did not start; its log: " + log);
        }
        return child;
    }

    /** Asks, and waits for the answer. */
    public <T> T ask(String question, Class<T> answer) throws IOException {
        questions.println(question);
        String line = answers.readLine();
        if (line == null) {
            throw new IOException("a process ended with code " + exitCode() + " instead of an answer to " + question);
        }
        return Json.MAPPER.readValue(line, answer);
    }

    private String exitCode() {
        return process.isAlive() ? "unknown" : Integer.toString(process.exitValue());
    }

    @Override
    public void close() {
        questions.close(); // the end of its input ends it
        try {
            if (!process.waitFor(15, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
