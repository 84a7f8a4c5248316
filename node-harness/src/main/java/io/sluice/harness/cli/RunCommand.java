package io.sluice.harness.cli;

import io.sluice.harness.config.ScenarioFile;
import io.sluice.harness.scenario.ScenarioException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code ./sluice run SCENARIO.yaml}. Not thread-safe. */
@Command(
        name = "run",
        addMethodSubcommands = false,
        description = "Runs a scenario of a file: an operation on a cluster, with faults if it says so, verified.",
        footer = {
            "",
            "Example: ./sluice run conf/scenarios/kill-sender.yaml",
            "conf/scenarios/README.md explains all keys."
        })
final class RunCommand implements Callable<Integer> {
    @Parameters(paramLabel = "SCENARIO.yaml", description = "One of conf/scenarios, or your own; options win over it.")
    private Path scenario = Path.of("");

    @Mixin
    private RunSettings settings = new RunSettings();

    @Mixin
    private RunOutput output = new RunOutput();

    @Override
    public Integer call() throws IOException, InterruptedException, ScenarioException {
        var config = output.config();
        ScenarioFile file = ScenarioFile.read(scenario);
        return output.run(
                settings.options(RunSettings.operation(scenario, file), file),
                file,
                config.with(settings.settings(file)));
    }
}
