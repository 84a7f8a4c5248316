package io.sluice.harness.cli;

import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.node.NodeMain;
import io.sluice.harness.report.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice node}: one node, until it is stopped. Not thread-safe. */
@Command(name = "node", addMethodSubcommands = false, description = "Runs one node until it is stopped.")
final class NodeCommand implements Callable<Integer> {
    @Option(
            names = "--config",
            paramLabel = "FILE",
            defaultValue = "${sys:sluice.home:-.}/conf/sluice.yaml",
            description = "Settings of the node (default: conf/sluice.yaml).")
    private Path config = Path.of("conf", "sluice.yaml");

    @Option(names = "--stop-with-parent", hidden = true, description = "Also stop when standard input ends.")
    private boolean stopWithParent;

    @Override
    public Integer call() throws IOException {
        SluiceConfig settings = SluiceConfig.read(config);
        settings.requireUsable();
        LogFile.at(settings.node().logDirectory().resolve("node.log"));
        LogFile.auditAt(settings.node().logDirectory().resolve("audit.log"));
        NodeMain.run(settings, stopWithParent);
        return ExitCode.OK.number();
    }
}
