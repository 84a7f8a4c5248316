package io.sluice.cassandra.local;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The bulk loader of a release of Cassandra, set up to load into a local cluster without a limit. Immutable. */
public final class StockLoader {
    private final LocalOptions options;
    private final ClassPath classPath;
    private final Path folder;

    /** @param folder for its own files; made if need be */
    public StockLoader(LocalOptions options, ClassPath classPath, Path folder) {
        this.options = options;
        this.classPath = classPath;
        this.folder = folder;
    }

    /**
     * The command that loads a table's folder, {@code <keyspace>/<table>-<id>}.
     *
     * @throws IOException if the release is of 4.x, whose artifact leaves out what its loader needs
     */
    public List<String> command(Path table) throws IOException {
        if (options.release().isBeforeFive()) {
            throw new IOException(
                    "the loader of " + options.release() + " does not run from its artifact (expected: a node of 5.0)");
        }
        Path conf = Files.createDirectories(folder.resolve("conf"));
        Path yaml = conf.resolve("cassandra.yaml");
        Files.writeString(yaml, """
                partitioner: org.apache.cassandra.dht.Murmur3Partitioner
                storage_port: %d
                native_transport_port: %d
                endpoint_snitch: SimpleSnitch
                listen_address: %3$s
                commitlog_sync: periodic
                commitlog_sync_period: 10s
                stream_throughput_outbound: 0MiB/s
                entire_sstable_stream_throughput_outbound: 0MiB/s
                seed_provider:
                  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
                    parameters:
                      - seeds: '%3$s:%1$d'
                """.formatted(options.storagePort(), options.cqlPort(), LocalOptions.host(1)));
        Resources.copy("logback.xml", conf.resolve("logback.xml"));
        Path jvm = Resources.copy("jvm.options", conf.resolve("jvm.options"));
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "@" + jvm,
                "-Xmx256m",
                "-Dcassandra.config=" + yaml.toUri(),
                "-Dcassandra.storagedir=" + folder,
                "-Dcassandra.logdir=" + folder,
                "-Dlogback.configurationFile=" + conf.resolve("logback.xml"),
                "-cp",
                conf + File.pathSeparator + classPath,
                "org.apache.cassandra.tools.BulkLoader",
                "-f",
                yaml.toString(),
                "-d",
                LocalOptions.host(1),
                "--no-progress",
                table.toString());
    }
}
