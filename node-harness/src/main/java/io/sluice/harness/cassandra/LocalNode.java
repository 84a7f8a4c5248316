package io.sluice.harness.cassandra;

import io.sluice.tools.JavaCommand;
import java.io.File;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * One node: a process that outlives this one, and the folder with its configuration, data, logs and process id.
 * Immutable; the folder is shared with other processes that manage the cluster.
 */
public final class LocalNode {
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(30);
    private static final Duration START_PATIENCE = Duration.ofMinutes(3);
    private static final long POLL_MILLIS = 100;

    private final int number;
    private final Path home;
    private final LocalOptions options;
    private final Optional<Joining> joining;

    LocalNode(int number, Path home, LocalOptions options) {
        this(number, home, options, Optional.empty());
    }

    LocalNode(int number, Path home, LocalOptions options, Optional<Joining> joining) {
        this.number = number;
        this.home = home;
        this.options = options;
        this.joining = joining;
    }

    /**
     * How a node joins an existing cluster.
     *
     * @param replaced number of the dead node that it replaces; empty to join as a new node
     * @param javaOptions of its process, in addition to those of all nodes
     */
    public record Joining(Optional<Integer> replaced, List<String> javaOptions) {
        public Joining {
            javaOptions = List.copyOf(javaOptions);
        }
    }

    /** Counts from 1; the address is 127.0.0.{@code number}. */
    public int number() {
        return number;
    }

    /** All that it has. */
    public Path home() {
        return home;
    }

    /** Where its data directories, one for each keyspace, lie. */
    public Path data() {
        return home.resolve("data");
    }

    /** Its cassandra.yaml. */
    public Path yamlFile() {
        return home.resolve("conf").resolve("cassandra.yaml");
    }

    /** What it, and an agent in it, print while it starts. */
    public Path console() {
        return home.resolve("logs").resolve("console.log");
    }

    /** What it logs. */
    public Path log() {
        return home.resolve("logs").resolve("system.log");
    }

    private Path processFile() {
        return home.resolve("process");
    }

    /** Its process, if it runs. */
    public Optional<ProcessHandle> process() throws IOException {
        if (!Files.exists(processFile())) {
            return Optional.empty();
        }
        String[] recorded = Files.readString(processFile()).strip().split(" ", -1);
        // An id alone may have been reused by another process.
        return ProcessHandle.of(Long.parseLong(recorded[0]))
                .filter(process -> process.info()
                        .startInstant()
                        .map(Instant::toString)
                        .orElse("")
                        .equals(recorded[1]));
    }

    /** Starts the process; {@link #awaitReady} says when it serves. */
    void start(ClassPath classPath) throws IOException {
        Path conf = Files.createDirectories(home.resolve("conf"));
        Path logs = Files.createDirectories(home.resolve("logs"));
        Files.writeString(yamlFile(), yaml());
        Resources.copy("logback.xml", conf.resolve("logback.xml"));
        Path jvm = jvmOptions(conf);
        String java = options.javaHome()
                .map(other -> other.resolve("bin").resolve("java").toString())
                .orElseGet(JavaCommand::executable);
        List<String> command =
                new ArrayList<>(List.of(java, "@" + jvm, "-Xms384m", "-Xmx384m", "-XX:MaxDirectMemorySize=256m"));
        if (options.release().isBeforeFive()) {
            // 4.x measures objects with jamm, which works as an agent only on JDK 17.
            classPath.jar("jamm-").ifPresent(jamm -> command.add("-javaagent:" + jamm));
        }
        joining.ifPresent(how -> {
            how.replaced()
                    .ifPresent(
                            dead -> command.add("-Dcassandra.replace_address_first_boot=" + LocalOptions.host(dead)));
            command.addAll(how.javaOptions());
        });
        options.jmx(number).ifPresent(port -> command.add("-Dcassandra.jmx.local.port=" + port));
        command.addAll(List.of(
                "-Dcassandra.config=" + yamlFile().toUri(),
                "-Dcassandra.storagedir=" + home,
                "-Dcassandra.logdir=" + logs,
                "-Dcassandra.reset_bootstrap_progress=true", // allows nodetool rebuild again
                "-Dlogback.configurationFile=" + conf.resolve("logback.xml"),
                "-cp",
                conf + File.pathSeparator + classPath,
                "org.apache.cassandra.service.CassandraDaemon"));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(console().toFile())
                .start();
        String started = process.info().startInstant().map(Instant::toString).orElse("unknown");
        Files.writeString(processFile(), process.pid() + " " + started);
    }

    private Path jvmOptions(Path conf) throws IOException {
        Path file = Resources.copy("jvm.options", conf.resolve("jvm.options"));
        if (options.javaHome().isPresent()
                && Files.readString(options.javaHome().get().resolve("release")).contains("JAVA_VERSION=\"11.")) {
            // It takes the word for the name of a class.
            List<String> known = Files.readAllLines(file).stream()
                    .filter(line -> !line.equals("-Djava.security.manager=allow"))
                    .toList();
            Files.write(file, known);
        }
        return file;
    }

    private String yaml() {
        String settings =
                settings().lines().filter(line -> !isReplaced(line)).collect(Collectors.joining("\n", "", "\n"))
                        + options.extraYaml().replace("{home}", home.toString());
        // 4.0 has the units in the key names.
        return options.release().isBeforeUnits()
                ? settings.replaceAll("(\\w+): (\\d+)MiB", "$1_in_mb: $2")
                        .replaceAll("(\\w+): (\\d+)ms", "$1_in_ms: $2")
                        .replaceAll("(\\w+): (\\d+)s", "$1_in_ms: $2000")
                : settings;
    }

    private String settings() {
        // Numbers as %s: the digits of %d are those of the locale.
        return """
                cluster_name: 'sluice'
                num_tokens: %s
                %s
                partitioner: org.apache.cassandra.dht.Murmur3Partitioner
                auto_bootstrap: %b
                data_file_directories: ['%4$s/data']
                commitlog_directory: '%4$s/commitlog'
                saved_caches_directory: '%4$s/saved_caches'
                hints_directory: '%4$s/hints'
                cdc_raw_directory: '%4$s/cdc_raw'
                commitlog_sync: periodic
                commitlog_sync_period: 10s
                commitlog_segment_size: 8MiB
                endpoint_snitch: SimpleSnitch
                seed_provider:
                  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
                    parameters:
                      - seeds: '%5$s:%6$s'
                listen_address: %7$s
                rpc_address: %7$s
                storage_port: %6$s
                native_transport_port: %8$s
                start_native_transport: true
                concurrent_reads: 4
                concurrent_writes: 4
                concurrent_compactors: 1
                memtable_heap_space: 64MiB
                memtable_offheap_space: 64MiB
                file_cache_size: 32MiB
                networking_cache_size: 32MiB
                native_transport_max_threads: 16
                auto_snapshot: false
                read_request_timeout: 60s
                range_request_timeout: 60s
                write_request_timeout: 60s
                """.formatted(
                                options.tokensPerNode(),
                                tokens(),
                                joining.isPresent(),
                                home,
                                LocalOptions.host(1),
                                options.storagePort(),
                                LocalOptions.host(number),
                                options.cqlPort())
                + options.compatibilityMode()
                        .map(mode -> "storage_compatibility_mode: " + mode + "\n")
                        .orElse("");
    }

    /** Whether the caller's extra lines contain this key, too. */
    private boolean isReplaced(String line) {
        String key = line.substring(0, line.indexOf(':') + 1);
        return !key.isBlank()
                && !line.startsWith(" ")
                && options.extraYaml().lines().anyMatch(more -> more.startsWith(key));
    }

    /** A node that replaces a dead one takes its tokens; another one chooses its own. */
    private String tokens() {
        return joining.isPresent()
                ? ""
                : options.tokens().get(number - 1).stream()
                        .map(String::valueOf)
                        .collect(Collectors.joining(",", "initial_token: '", "'"));
    }

    /** Waits until the node takes CQL. */
    public void awaitReady() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + START_PATIENCE.toNanos();
        while (!answers()) {
            if (process().isEmpty()) {
                throw new IOException("node " + number + " exited while starting: " + lastOutput());
            }
            if (System.nanoTime() > deadline) {
                throw new IOException("node " + number + " did not accept CQL within " + START_PATIENCE.toSeconds()
                        + " s after its start (log: " + log() + ")");
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(options.cql(number), (int) POLL_MILLIS * 10);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** The error that ended it, if it printed one. */
    private String lastOutput() throws IOException {
        for (Path file : List.of(log(), console())) {
            List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
            Optional<String> error = lines.stream()
                    .filter(line -> line.startsWith("ERROR") || line.contains("Exception"))
                    .reduce((earlier, later) -> later);
            if (error.isPresent()) {
                return error.get() + " (log: " + file + ")";
            }
        }
        return "no error printed (logs: " + log().getParent() + ")";
    }

    /** Kills the process by SIGKILL, without a chance to clean up, and waits until it has ended. */
    public void kill() throws IOException, InterruptedException {
        Optional<ProcessHandle> process = process();
        if (process.isPresent()) {
            process.get().destroyForcibly();
            awaitEnd(process.get(), STOP_PATIENCE);
        }
        Files.deleteIfExists(processFile());
    }

    /** Stops the process, and kills it if it does not stop. Returns whether it was running. */
    public boolean stop() throws IOException, InterruptedException {
        Optional<ProcessHandle> process = process();
        if (process.isPresent()) {
            process.get().destroy();
            if (!awaitEnd(process.get(), STOP_PATIENCE)) {
                process.get().destroyForcibly();
                awaitEnd(process.get(), STOP_PATIENCE);
            }
        }
        Files.deleteIfExists(processFile());
        return process.isPresent();
    }

    private static boolean awaitEnd(ProcessHandle process, Duration timeout) throws InterruptedException {
        try {
            process.onExit().get(timeout.toSeconds(), TimeUnit.SECONDS);
            return true;
        } catch (java.util.concurrent.TimeoutException stillThere) {
            return false;
        } catch (java.util.concurrent.ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public String toString() {
        return LocalOptions.host(number) + ":" + options.cqlPort();
    }
}
