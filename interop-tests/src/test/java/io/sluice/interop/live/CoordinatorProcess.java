package io.sluice.interop.live;

import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A command that brings a node its data, as a process: what it says, and how it ends. Thread-safe. */
final class CoordinatorProcess {
    private static final Duration LONGEST = Duration.ofMinutes(12);

    private final Process process;
    private final List<String> said = new CopyOnWriteArrayList<>();
    private final Thread reader;
    private volatile boolean wasKilled;

    CoordinatorProcess(Process process) {
        this.process = process;
        this.reader = new Thread(this::read, "coordinator-output");
        reader.start();
    }

    private void read() {
        try (BufferedReader out = process.inputReader()) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                System.out.println(line);
                said.add(line);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until it has said a line with these words, or has ended. */
    void awaitSaying(String words) {
        await().atMost(LONGEST)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> said().contains(words) || !process.isAlive());
    }

    /** The exit code. */
    int awaitEnd() throws InterruptedException {
        if (!process.waitFor(LONGEST.toMinutes(), TimeUnit.MINUTES)) {
            process.destroyForcibly();
        }
        reader.join();
        return process.waitFor();
    }

    /** All lines so far. */
    String said() {
        return String.join("\n", said);
    }

    /** Whether somebody has killed it. */
    boolean wasKilled() {
        return wasKilled;
    }

    /** Ends it as power loss would. */
    void kill() throws InterruptedException {
        wasKilled = true;
        process.destroyForcibly();
        awaitEnd();
    }
}
