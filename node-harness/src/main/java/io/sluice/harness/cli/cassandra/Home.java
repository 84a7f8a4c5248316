package io.sluice.harness.cli.cassandra;

import io.sluice.harness.cassandra.LocalCluster;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.scenario.ScenarioException;
import io.sluice.harness.scenario.WorkDirectory;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option that says where the cluster lies. Not thread-safe. */
final class Home {
    @Option(
            names = "--work-dir",
            paramLabel = "DIR",
            defaultValue = "${sys:sluice.home:-.}/work",
            description = "Data and logs of the nodes, under cassandra/ (default: work in Sluice's folder).")
    private Path workDir = Path.of("work");

    /**
     * Makes the work directory if need be.
     *
     * @throws ScenarioException if that cannot be
     */
    void make() throws ScenarioException {
        WorkDirectory.made(workDir.toAbsolutePath().normalize());
    }

    /** Of the cluster, and of nothing else. */
    Path folder() {
        return workDir.resolve("cassandra").toAbsolutePath().normalize();
    }

    /** The cluster that is there. */
    LocalCluster cluster() throws IOException {
        return LocalCluster.find(folder())
                .orElseThrow(
                        () -> new ConfigException(folder() + ": no cluster (expected: ./sluice cassandra up before)"));
    }
}
