package io.sluice.bench.process;

import io.sluice.harness.json.Json;
import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A process that was started, and is asked; see {@link ChildCommands}. Not thread-safe. */
public final class ChildProcess implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ChildProcess.class);

    private static final Pattern COLLECTOR = Pattern.compile("-XX:\\+Use[A-Za-z0-9]+GC");
    private static final Duration LONGEST_ANSWER = Duration.ofHours(6);
    private static final Duration LONGEST_END = Duration.ofSeconds(15);

    private final StartedProcess process;

    private ChildProcess(StartedProcess process) {
        this.process = process;
    }

    /**
     * Starts it and waits until it is ready.
     *
     * @param main its main class
     * @param options of the virtual machine: the heap, a collector if not the serial one, and other arguments
     */
    public static ChildProcess start(Class<?> main, List<String> options, Path log, String... arguments)
            throws IOException, InterruptedException {
        return startAt(List.of(), main, options, log, arguments);
    }

    /**
     * The same, by a command that runs it elsewhere.
     *
     * @param place what the command begins with, as {@code ip netns exec NAME}; empty for here
     */
    public static ChildProcess startAt(
            List<String> place, Class<?> main, List<String> options, Path log, String... arguments)
            throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(options);
        if (options.stream().noneMatch(option -> COLLECTOR.matcher(option).matches())) {
            all.add("-XX:+UseSerialGC");
        }
        all.add("-Dsluice.log=" + log);
        List<String> command = new ArrayList<>(place);
        command.addAll(JavaCommand.words(all, main.getName(), (Object[]) arguments));
        StartedProcess started = StartedProcess.start(
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile())));
        try {
            started.awaitLine("ready");
        } catch (IOException e) {
            started.close();
            throw new IOException("the " + arguments[0] + " process did not start; its log: " + log, e);
        }
        return new ChildProcess(started);
    }

    /** Asks, and waits for the answer. */
    public <T> T ask(String question, Class<T> answer) throws IOException, InterruptedException {
        return Json.MAPPER.readValue(process.ask(question, LONGEST_ANSWER), answer);
    }

    /** Ends it by the end of its input, and kills it if that does not help. */
    @Override
    public void close() {
        try (process) {
            process.endInput();
            process.awaitExit(LONGEST_END);
        } catch (IOException e) {
            LOG.debug("killed a process that did not end: {}", e.getMessage()); // it has a log of its own
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
