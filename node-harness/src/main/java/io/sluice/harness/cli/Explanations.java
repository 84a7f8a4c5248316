package io.sluice.harness.cli;

import io.sluice.harness.admin.Refusal;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.replace.RefusedException;
import io.sluice.harness.report.ExitCode;
import io.sluice.harness.scenario.ScenarioException;
import io.sluice.netty.options.NearestKey;
import io.sluice.sstable.component.SSTableException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/**
 * How a command says that it cannot: one sentence without types of Java, and the code that is documented. Stateless.
 */
public final class Explanations {
    private static final int HELP_WIDTH = 120;
    private static final int MOST_SUGGESTIONS = 3;
    private static final Pattern NOT_A_NUMBER = Pattern.compile("' is not an? (?:int|long|short|byte)$");

    private Explanations() {}

    private static final class WrongUsage implements CommandLine.IParameterExceptionHandler {
        @Override
        public int handleParseException(CommandLine.ParameterException wrong, String[] arguments) {
            return explain(wrong);
        }
    }

    private static final class Failure implements CommandLine.IExecutionExceptionHandler {
        @Override
        public int handleExecutionException(Exception failure, CommandLine failed, CommandLine.ParseResult parsed) {
            return explain(failure, failed);
        }
    }

    /** The same command line, which explains itself so. */
    public static CommandLine of(CommandLine command) {
        return command.setUsageHelpWidth(HELP_WIDTH)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(new WrongUsage())
                .setExecutionExceptionHandler(new Failure());
    }

    /** The reason alone: a page of help after it would push it out of sight. */
    private static int explain(CommandLine.ParameterException wrong) {
        CommandLine command = wrong.getCommandLine();
        command.getErr()
                .println("sluice: " + reason(wrong) + didYouMean(wrong) + " (see ./"
                        + command.getCommandSpec().qualifiedName() + " --help)");
        command.getErr().flush();
        return ExitCode.WRONG_USAGE.number();
    }

    /** In words of ours: the library's name the types of Java that an option has. */
    private static String reason(CommandLine.ParameterException wrong) {
        if (wrong.getCause() instanceof ConfigException unreadable) {
            String reason = String.valueOf(unreadable.getMessage());
            // Converters serve options of several names.
            return wrong.getArgSpec() instanceof OptionSpec option
                    ? option.longestName() + reason.substring(Math.max(0, reason.indexOf(": ")))
                    : reason;
        }
        return NOT_A_NUMBER.matcher(Refusal.because(wrong).reason()).replaceAll("' (expected: a whole number)");
    }

    private static String didYouMean(CommandLine.ParameterException wrong) {
        return wrong instanceof CommandLine.UnmatchedArgumentException unmatched
                ? didYouMean(unmatched.getUnmatched().get(0), unmatched.getCommandLine())
                : "";
    }

    /** What {@code word} may be a misspelling of, as the end of a sentence; empty if of nothing. */
    static String didYouMean(String word, CommandLine command) {
        List<String> likely = likely(word, command);
        return likely.isEmpty()
                ? ""
                : "; did you mean " + likely.stream().limit(MOST_SUGGESTIONS).collect(Collectors.joining(" or ")) + "?";
    }

    /** Options of the command; or commands within it, or of that name within others. */
    private static List<String> likely(String word, CommandLine command) {
        if (word.startsWith("-")) {
            int value = word.indexOf('=');
            return NearestKey.near(
                    value < 0 ? word : word.substring(0, value),
                    command.getCommandSpec().optionsMap().keySet());
        }
        List<String> likely = new ArrayList<>();
        command.getSubcommands().forEach((name, within) -> {
            if (within.getSubcommands().containsKey(word)) {
                likely.add(name + " " + word);
            }
        });
        likely.addAll(NearestKey.near(word, command.getSubcommands().keySet()));
        return likely;
    }

    /** One human-readable sentence; the stack trace went to the log, if it is worth one. */
    private static int explain(Exception failure, CommandLine command) {
        PrintWriter err = command.getErr();
        err.println("sluice: " + Refusal.because(failure));
        err.flush();
        return code(failure).number();
    }

    /** How the process ends because of a failure. */
    public static ExitCode code(Exception failure) {
        boolean wrongUsage = failure instanceof ConfigException
                || (failure instanceof ScenarioException scenario
                        && scenario.kind() == ScenarioException.Kind.WRONG_USAGE);
        boolean isRefused = failure instanceof RefusedException
                || (failure instanceof SSTableException unreadable && unreadable.isUnsupported());
        ExitCode otherwise = isRefused ? ExitCode.REFUSED : ExitCode.FAILED;
        return wrongUsage ? ExitCode.WRONG_USAGE : otherwise;
    }
}
