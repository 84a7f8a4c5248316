package io.sluice.harness.cli.sstable;

import io.sluice.sstable.token.TokenRange;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Reads token ranges as people write them. Stateless. */
public final class TokenRangeParser {
    private static final String EXPECTED = "(expected: two tokens, as -100,100, or all)";

    private static final String WHOLE_RING = "all";

    private TokenRangeParser() {}

    /** Two equal tokens would be the whole ring, which hardly anybody means who writes them. */
    private static TokenRange notEmpty(long start, long end, String option, CommandSpec command) {
        if (start == end) {
            throw new ParameterException(
                    command.commandLine(),
                    option + ": no token lies after " + start + " up to " + end
                            + " (expected: different tokens; or all, for the whole ring)");
        }
        return TokenRange.of(start, end);
    }

    /** The range that {@code text}, given to {@code --range} of {@code command}, means. */
    static TokenRange parse(String text, CommandSpec command) {
        return parse(text, "--range", command);
    }

    /** The range that {@code text}, given to {@code option} of {@code command}, means. */
    public static TokenRange parse(String text, String option, CommandSpec command) {
        if (text.equals(WHOLE_RING)) {
            return TokenRange.FULL;
        }
        String[] ends = text.split(",", -1);
        try {
            if (ends.length == 2) {
                return notEmpty(Long.parseLong(ends[0].strip()), Long.parseLong(ends[1].strip()), option, command);
            }
        } catch (NumberFormatException e) {
            throw new ParameterException(command.commandLine(), option + ": '" + text + "' " + EXPECTED, e);
        }
        throw new ParameterException(command.commandLine(), option + ": '" + text + "' " + EXPECTED);
    }
}
