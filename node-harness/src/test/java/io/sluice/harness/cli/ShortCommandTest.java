package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
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
    void the_list_of_commands_looks_for_no_benchmarks_in_all_jars() {
        CommandLine bench = Objects.requireNonNull(
                Main.commandLine("--help").getSubcommands().get("bench"));

        assertThat(bench.getSubcommands()).isEmpty();
    }
}
