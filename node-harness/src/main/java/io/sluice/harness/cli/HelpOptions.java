package io.sluice.harness.cli;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * {@code --help} and {@code --version} of every command, as the library's annotation {@code mixinStandardHelpOptions}
 * has them, which takes 12 ms of each. Stateless.
 */
final class HelpOptions {
    private static final String HELP = "--help";

    private HelpOptions() {}

    /** Gives them to a command and to its subcommands, but for those that have them, and that pass all options on. */
    static void addTo(CommandSpec spec) {
        if (!spec.optionsMap().containsKey(HELP) && spec.unmatchedArgsBindings().isEmpty()) {
            spec.addOption(OptionSpec.builder("-h", HELP)
                            .usageHelp(true)
                            .description("Show this help message and exit.")
                            .build())
                    .addOption(OptionSpec.builder("-V", "--version")
                            .versionHelp(true)
                            .description("Print version information and exit.")
                            .build());
        }
        for (CommandLine subcommand : spec.subcommands().values()) { // without a lambda: Main.Section says why
            addTo(subcommand.getCommandSpec());
        }
    }
}
