package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;

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
}
