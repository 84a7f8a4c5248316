package io.sluice.bench.process;

import io.sluice.harness.cli.Explanations;
import io.sluice.harness.cli.ReportFile;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/** How the programs that measure are begun and ended, and where their figures go. Stateless. */
public final class Program {
    private static final String TERMINAL = "-";

    private Program() {}

    /**
     * Runs {@code command} with the arguments that its annotations describe, and ends the process: with its answer,
     * with 2 if an argument makes no sense, with 1 and a sentence if it fails.
     */
    public static void run(Callable<Integer> command, String[] arguments) {
        System.exit(commandLine(command).execute(arguments));
    }

    /** The same, without an end of the process. */
    public static CommandLine commandLine(Callable<Integer> command) {
        CommandLine explaining = Explanations.of(new CommandLine(command));
        CommandLine.IExecutionExceptionHandler explain = explaining.getExecutionExceptionHandler();
        return explaining.setExecutionExceptionHandler((failure, line, parsed) -> explain.handleExecutionException(
                failure instanceof IllegalArgumentException wrong
                        ? new ConfigException(String.valueOf(wrong.getMessage()), wrong)
                        : failure,
                line,
                parsed));
    }

    /**
     * Refuses a number that an option cannot have, before a benchmark begins.
     *
     * @throws ConfigException if {@code value} is less than {@code least}
     */
    public static void requireAtLeast(String option, long value, long least) {
        if (value < least) {
            throw new ConfigException(option + " " + value + " (expected: " + least + " or more)");
        }
    }

    /**
     * The same with two limits, which are allowed.
     *
     * @throws ConfigException if {@code value} is out of these
     */
    public static void requireBetween(String option, long value, long least, long most) {
        if (value < least || value > most) {
            throw new ConfigException(
                    String.format(Locale.ROOT, "%s %d (expected: %,d to %,d)", option, value, least, most));
        }
    }

    /**
     * The {@link ReportFile#begin} of what {@link #writeJson} will write to {@code file}: when nothing is left to be
     * refused.
     *
     * @throws ConfigException if it cannot be written
     */
    public static void beginJson(@Nullable String file) {
        if (file != null && !file.equals(TERMINAL)) {
            ReportFile.begin("--json", Path.of(file));
        }
    }

    /** Writes {@code figures} as JSON: nowhere if no {@code file} is wanted, to the terminal if it is {@code -}. */
    public static void writeJson(Object figures, @Nullable String file) throws IOException {
        if (file == null) {
            return;
        }
        String text = Json.MAPPER.writeValueAsString(figures);
        if (file.equals(TERMINAL)) {
            System.out.println(text);
        } else {
            Files.writeString(Path.of(file), text);
        }
    }
}
