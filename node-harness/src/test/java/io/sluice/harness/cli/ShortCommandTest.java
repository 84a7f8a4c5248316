package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** What costs a short command more than what it does. */
class ShortCommandTest {
    @Test
    void what_the_library_of_the_command_line_calls_is_no_lambda() {
        CommandLine sluice = Main.commandLine("--help");

        assertThat(sluice.getParameterExceptionHandler().getClass()).matches(type -> !type.isHidden());
        assertThat(sluice.getExecutionExceptionHandler().getClass()).matches(type -> !type.isHidden());
        assertThat(sluice.getHelpSectionMap().values())
                .isNotEmpty()
                .noneMatch(section -> section.getClass().isHidden());
    }

    @Test
    void the_help_is_the_same_without_looking_at_any_command() {
        CommandLine alone = Main.commandLine("--help");

        assertThat(alone.getSubcommands()).isEmpty();
        assertThat(alone.getUsageMessage())
                .isEqualTo(Main.commandLine().getUsageMessage())
                .startsWith("Usage: sluice [-hV] [COMMAND]\n");
    }

    @Test
    void every_command_has_a_help_but_one_that_passes_its_options_on() {
        List<CommandSpec> all = new ArrayList<>();
        collect(Main.commandLine().getCommandSpec(), all);

        assertThat(all).hasSizeGreaterThan(40);
        assertThat(all)
                .allMatch(command -> command.unmatchedArgsBindings().isEmpty()
                        ? command.optionsMap().containsKey("--help")
                        : command.optionsMap().isEmpty());
        assertThat(all).extracting(CommandSpec::qualifiedName).contains("sluice soak kills", "sluice report diff");
    }

    private static void collect(CommandSpec command, List<CommandSpec> all) {
        all.add(command);
        command.subcommands().values().forEach(subcommand -> collect(subcommand.getCommandSpec(), all));
    }
}
