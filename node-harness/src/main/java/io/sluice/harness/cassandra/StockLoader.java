package io.sluice.harness.cassandra;

import io.sluice.tools.JavaCommand;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The bulk loader of a release of Cassandra, configured for a local cluster without a throttle. Immutable. */
public final class StockLoader {
    private final LocalOptions options;
    private final ClassPath classPath;
    private final Path folder;
    private final String extraYaml;

    /** @param folder for its own files, and for the class path; made if need be */
    private StockLoader(LocalOptions options, ClassPath classPath, Path folder, String extraYaml) {
        this.options = options;
        this.classPath = classPath;
        this.folder = folder;
        this.extraYaml = extraYaml;
    }

    /**
     * The loader of the cluster's release.
     *
     * @param classPaths folder in which class paths are kept
     * @param folder for its own files; made if need be
     */
    public static StockLoader of(LocalOptions options, Path classPaths, Path folder)
            throws IOException, InterruptedException {
        ClassPath own = ClassPath.resolve(options.release(), classPaths);
        if (options.release().isBeforeFive()) {
            // The artifact of 4.x lacks the driver with which its loader reads the ring.
            own = own.with(ClassPath.resolve(Release.of("5.0"), classPaths).jarsNamed("cassandra-driver-core-"));
        }
        return new StockLoader(options, own, folder, "");
    }

    /** The same with more lines of its cassandra.yaml. */
    public StockLoader withYaml(String lines) {
        return new StockLoader(options, classPath, folder, lines);
    }

    /**
     * Lines of its cassandra.yaml: streams are encrypted, with a certificate on each side.
     *
     * @param key and {@code trust} PKCS#12, opened by the same password
     */
    public static String encryption(Path key, Path trust, String password) {
        return """
                server_encryption_options:
                  internode_encryption: all
                  keystore: '%1$s'
                  keystore_password: '%3$s'
                  require_client_auth: true
                  truststore: '%2$s'
                  truststore_password: '%3$s'
                  store_type: PKCS12
                """.formatted(quoted(key), quoted(trust), password.replace("'", "''"));
    }

    private static String quoted(Path file) {
        return file.toAbsolutePath().toString().replace("'", "''");
    }

    /** No throttles; a release takes only its own names. */
    static String limits(Release release) {
        return release.isBeforeUnits()
                ? "commitlog_sync_period_in_ms: 10000\nstream_throughput_outbound_megabits_per_sec: 0"
                : "commitlog_sync_period: 10s\nstream_throughput_outbound: 0MiB/s\n"
                        + "entire_sstable_stream_throughput_outbound: 0MiB/s";
    }

    /**
     * The command that loads a table's folder, {@code <keyspace>/<table>-<id>}, into the cluster.
     *
     * @param storagePort where it streams to, on the addresses of the nodes
     */
    public List<String> command(Path table, int storagePort) throws IOException {
        Path conf = Files.createDirectories(folder.resolve("conf"));
        Path yaml = conf.resolve("cassandra.yaml");
        Files.writeString(
                yaml,
                """
                partitioner: org.apache.cassandra.dht.Murmur3Partitioner
                storage_port: %s
                native_transport_port: %s
                endpoint_snitch: SimpleSnitch
                listen_address: %3$s
                commitlog_sync: periodic
                %4$s
                seed_provider:
                  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
                    parameters:
                      - seeds: '%3$s:%1$s'
                """.formatted(options.storagePort(), options.cqlPort(), LocalOptions.host(1), limits(options.release()))
                        + extraYaml);
        Resources.copy("logback.xml", conf.resolve("logback.xml"));
        Path jvm = Resources.copy("jvm.options", conf.resolve("jvm.options"));
        return List.of(
                JavaCommand.executable(),
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
                "--storage-port",
                String.valueOf(storagePort),
                "--no-progress",
                table.toString());
    }
}
