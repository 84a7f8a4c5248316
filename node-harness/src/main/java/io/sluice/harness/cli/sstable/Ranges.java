package io.sluice.harness.cli.sstable;

import io.sluice.sstable.token.TokenRange;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Reads token ranges as people write them. Stateless. */
public final class Ranges {
    private static final String EXPECTED = "(expected: two tokens, as -100,100)";

    private Ranges() {}

    /** The range that {@code text}, given to {@code --range} of {@code command}, means. */
    static TokenRange parse(String text, CommandSpec command) {
        return parse(text, "--range", command);
    }

    /** The range that {@code text}, given to {@code option} of {@code command}, means. */
    public static TokenRange parse(String text, String option, CommandSpec command) {
        String[] ends = text.split(",", -1);
        try {
            if (ends.length == 2) {
                return TokenRange.of(Long.parseLong(ends[0].strip()), Long.parseLong(ends[1].strip()));
            }
        } catch (NumberFormatException e) {
            throw new ParameterException(command.commandLine(), option + ": '" + text + "' " + EXPECTED, e);
        }
        throw new ParameterException(command.commandLine(), option + ": '" + text + "' " + EXPECTED);
    }
}
