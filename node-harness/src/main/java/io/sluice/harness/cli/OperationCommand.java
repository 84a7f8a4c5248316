package io.sluice.harness.cli;

import io.sluice.harness.config.ConfigException;
import io.sluice.harness.config.ScenarioFile;
import io.sluice.harness.config.ScenarioFile.Operation;
import io.sluice.harness.scenario.ScenarioException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** {@code ./sluice replace-node}, {@code bootstrap} and so on: one operation on a cluster. Not thread-safe. */
@Command(addMethodSubcommands = false)
final class OperationCommand implements Callable<Integer> {
    private final Operation operation;

    @Mixin
    private RunSettings settings = new RunSettings();

    @Option(names = "--scenario", paramLabel = "FILE", description = "These options as YAML; the command line wins.")
    private @Nullable Path scenario;

    @Mixin
    private RunOutput output = new RunOutput();

    private OperationCommand(Operation operation) {
        this.operation = operation;
    }

    /** The command of an operation. */
    static CommandSpec of(Operation operation) {
        CommandSpec spec = CommandSpec.forAnnotatedObject(new OperationCommand(operation));
        spec.name(operation.command());
        spec.usageMessage().description(description(operation));
        return spec;
    }

    private static String description(Operation operation) {
        return "Starts a cluster, "
                + switch (operation) {
                    case BOOTSTRAP -> "lets nodes join it, each of which fetches what it will own,";
                    case REPLACE -> "kills a node, streams its tables to a replacement,";
                    case REBUILD -> "lets a node that lost its disk, or a new data centre, fetch all its data,";
                    case DECOMMISSION -> "lets a node leave, after others have fetched what it held,";
                    case REMOVENODE -> "kills a node, lets others fetch from its replicas what it held,";
                    case MOVE -> "moves a node to another token,";
                    case REPAIR -> "takes SSTables away from a node, finds where replicas differ, streams only that,";
                    case TABLET_MIGRATION -> "lets tablets migrate to a node that has none,";
                }
                + " and verifies contents.";
    }

    @Override
    public Integer call() throws IOException, InterruptedException, ScenarioException {
        var config = output.config();
        ScenarioFile file = scenario == null ? ScenarioFile.NONE : ScenarioFile.read(scenario);
        if (file.operation().filter(other -> other != operation).isPresent()) {
            throw new ConfigException("--scenario " + scenario + ": is about "
                    + file.operation().get().command() + " (expected: about " + operation.command()
                    + "; see ./sluice run)");
        }
        return output.run(settings.options(operation, file), file, config.with(settings.settings(file)));
    }
}
