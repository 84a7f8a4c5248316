package io.sluice.tools;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A process that this one has started. A thread of its own reads what it prints, so that it never waits for a reader;
 * what is not redirected elsewhere is kept, and shown when what is awaited does not come. Thread-safe.
 */
public final class StartedProcess implements AutoCloseable {
    /** Long enough for what does not hang, on any machine. */
    public static final Duration TIMEOUT = Duration.ofMinutes(2);

    private static final int SHOWN_LINES = 200;
    private static final int SHOWN_LETTERS = 200;

    private final Process process;
    private final String command;

    // Guarded by this.
    private final List<String> lines = new ArrayList<>();
    private int linesTaken;
    private boolean isOutputOver;

    private StartedProcess(Process process, List<String> words) {
        this.process = process;
        this.command = words.stream().map(StartedProcess::shortened).collect(Collectors.joining(" "));
    }

    /** A class path is longer than everything else. */
    private static String shortened(String word) {
        return word.length() <= SHOWN_LETTERS ? word : word.substring(0, SHOWN_LETTERS) + "...";
    }

    /** Starts a command; its lines are those of its standard output, and of its errors if they are merged into it. */
    public static StartedProcess start(ProcessBuilder builder) throws IOException {
        var started = new StartedProcess(builder.start(), builder.command());
        Thread reader = new Thread(started::read, "output-of-process-" + started.process.pid());
        reader.setDaemon(true);
        reader.start();
        return started;
    }

    /** Starts a command; its lines are those of its output and its errors. */
    public static StartedProcess start(List<String> command) throws IOException {
        return start(new ProcessBuilder(command).redirectErrorStream(true));
    }

    /**
     * Starts a class of this class path; see {@link JavaCommand#words}. Its lines are those of its output and errors.
     */
    public static StartedProcess java(List<String> options, Class<?> main, Object... arguments) throws IOException {
        return start(JavaCommand.words(options, main.getName(), arguments));
    }

    /**
     * Runs a command to its end and returns the lines that it prints, errors included. It is killed if this thread is
     * interrupted.
     *
     * @throws IOException with these lines, if it fails or does not end within {@link #TIMEOUT}
     */
    public static List<String> run(List<String> command) throws IOException, InterruptedException {
        try (StartedProcess started = start(command)) {
            started.awaitSuccess(TIMEOUT);
            return started.lines();
        }
    }

    /** The same. */
    public static List<String> run(String... command) throws IOException, InterruptedException {
        return run(List.of(command));
    }

    private void read() {
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                add(line, false);
            }
            add("", true);
        } catch (IOException e) {
            add("(the rest cannot be read: " + e.getMessage() + ")", true);
        }
    }

    private synchronized void add(String line, boolean isLast) {
        if (!isLast || !line.isEmpty()) {
            lines.add(line);
        }
        isOutputOver |= isLast;
        notifyAll();
    }

    /** The process itself, for its number, its descendants and whether it lives. */
    public Process process() {
        return process;
    }

    /** What it has printed so far. */
    public synchronized List<String> lines() {
        return List.copyOf(lines);
    }

    /**
     * Waits for the next line that nobody has taken, and takes it; empty if its output is over.
     *
     * @throws IOException if neither comes in time
     */
    public synchronized Optional<String> nextLine(Duration atMost) throws IOException, InterruptedException {
        await(
                () -> linesTaken < lines.size() || isOutputOver,
                atMost,
                "no further line within " + atMost.toSeconds() + " s");
        return linesTaken < lines.size() ? Optional.of(lines.get(linesTaken++)) : Optional.empty();
    }

    /**
     * Takes lines up to the first that is as wished, and returns them; {@link #TIMEOUT} is for all together.
     *
     * @throws IOException if such a line does not come
     */
    public List<String> linesUntil(Predicate<String> wished) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        List<String> taken = new ArrayList<>();
        while (taken.isEmpty() || !wished.test(taken.get(taken.size() - 1))) {
            taken.add(nextLine(Duration.ofNanos(deadline - System.nanoTime()))
                    .orElseThrow(() -> failure("its output is over before the line that is awaited")));
        }
        return taken;
    }

    /** Takes lines up to the first that is as wished, and returns that one. */
    public String awaitLine(Predicate<String> wished) throws IOException, InterruptedException {
        List<String> taken = linesUntil(wished);
        return taken.get(taken.size() - 1);
    }

    /** Takes lines up to this one. */
    public void awaitLine(String wished) throws IOException, InterruptedException {
        linesUntil(wished::equals);
    }

    /** Says a line, and returns the next that it prints. */
    public String ask(String line, Duration atMost) throws IOException, InterruptedException {
        say(line);
        return nextLine(atMost).orElseThrow(() -> failure("has no answer to '" + line + "'"));
    }

    /** Waits with the lock, which it releases meanwhile. */
    private synchronized void await(BooleanSupplier isSo, Duration atMost, String missed)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!isSo.getAsBoolean()) {
            long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (millis <= 0) {
                throw failure(missed);
            }
            wait(millis);
        }
    }

    /** Writes a line to its input. */
    public void say(String line) throws IOException {
        try {
            OutputStream in = process.getOutputStream();
            in.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            in.flush();
        } catch (IOException e) {
            throw failure("does not take '" + line + "' (" + e.getMessage() + ")");
        }
    }

    /** Ends its input. */
    public void endInput() throws IOException {
        process.getOutputStream().close();
    }

    /** Sends a signal by its name, as {@code STOP}. */
    public void signal(String name) throws IOException, InterruptedException {
        run("kill", "-" + name, Long.toString(process.pid()));
    }

    /** Asks it to end, by SIGTERM alone: {@link Process#destroy} would also end its input. */
    public void terminate() {
        process.toHandle().destroy();
    }

    /**
     * Waits until it has ended, and its output with it; returns its exit code.
     *
     * @throws IOException if it does not end in time; it runs on then
     */
    public int awaitExit(Duration atMost) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + atMost.toNanos();
        if (!process.waitFor(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
            throw failure("has not ended within " + atMost.toSeconds() + " s");
        }
        Duration left = Duration.ofNanos(deadline - System.nanoTime());
        await(() -> isOutputOver, left, "has ended, but one that it has started still holds its output");
        if (Thread.interrupted()) { // who does not need to wait does not notice it
            throw new InterruptedException();
        }
        return process.exitValue();
    }

    /** Waits until it has ended with exit code 0. */
    public void awaitSuccess(Duration atMost) throws IOException, InterruptedException {
        int code = awaitExit(atMost);
        if (code != 0) {
            throw failure("ended with code " + code + " (expected: 0)");
        }
    }

    /** An error that says what is wrong, and what the process has printed. */
    public synchronized IOException failure(String what) {
        List<String> last = lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size());
        return new IOException(command + ": " + what + "; it has printed: " + String.join("\n", last));
    }

    /**
     * Kills it alone, by SIGKILL, and waits until it has ended. What it has printed before can be read:
     * {@link Process#destroyForcibly} would close the pipe with what is still in it.
     */
    public void kill() throws IOException, InterruptedException {
        process.toHandle().destroyForcibly();
        awaitExit(TIMEOUT);
    }

    /** Kills it, and all that it has started, and waits until it has ended. */
    @Override
    public void close() {
        try (Stream<ProcessHandle> descendants = process.descendants()) {
            descendants.forEach(ProcessHandle::destroyForcibly);
        }
        try {
            process.destroyForcibly().waitFor(TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
