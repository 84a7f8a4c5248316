package io.sluice.harness.cassandra;

import io.sluice.tools.JavaCommand;
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
 * One node: a process that outlives ours, and the folder with its configuration, data, logs and process id. Immutable;
 * the folder is shared with whoever else manages the cluster.
 */
public final class LocalNode {
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(30);
    private static final Duration START_PATIENCE = Duration.ofMinutes(3);
    private static final long POLL_MILLIS = 100;

    private final int number;
    private final Path home;
    private final LocalOptions options;

    LocalNode(int number, Path home, LocalOptions options) {
        this.number = number;
        this.home = home;
        this.options = options;
    }

    /** Counts from 1; the address is 127.0.0.{@code number}. */
    public int number() {
        return number;
    }

    /** Where its data directories, one for each keyspace, lie. */
    public Path data() {
        return home.resolve("data");
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
        // An id alone may belong to somebody else by now.
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
        Files.writeString(conf.resolve("cassandra.yaml"), yaml());
        Resources.copy("logback.xml", conf.resolve("logback.xml"));
        Path jvm = Resources.copy("jvm.options", conf.resolve("jvm.options"));
        List<String> command = new ArrayList<>(
                List.of(JavaCommand.executable(), "@" + jvm, "-Xms384m", "-Xmx384m", "-XX:MaxDirectMemorySize=256m"));
        if (options.release().isBeforeFive()) {
            // 4.x measures objects with a jamm that works as an agent only on JDK 17.
            classPath.jar("jamm-").ifPresent(jamm -> command.add("-javaagent:" + jamm));
        }
        command.addAll(List.of(
                "-Dcassandra.config=" + conf.resolve("cassandra.yaml").toUri(),
                "-Dcassandra.storagedir=" + home,
                "-Dcassandra.logdir=" + logs,
                "-Dcassandra.reset_bootstrap_progress=true", // nodetool rebuild may be asked for again
                "-Dlogback.configurationFile=" + conf.resolve("logback.xml"),
                "-cp",
                conf + java.io.File.pathSeparator + classPath,
                "org.apache.cassandra.service.CassandraDaemon"));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(logs.resolve("console.log").toFile())
                .start();
        String started = process.info().startInstant().map(Instant::toString).orElse("unknown");
        Files.writeString(processFile(), process.pid() + " " + started);
    }

    private String yaml() {
        String tokens =
                options.tokens().get(number - 1).stream().map(String::valueOf).collect(Collectors.joining(","));
        return """
                cluster_name: 'sluice'
                num_tokens: %d
                initial_token: '%s'
                partitioner: org.apache.cassandra.dht.Murmur3Partitioner
                auto_bootstrap: false
                data_file_directories: ['%3$s/data']
                commitlog_directory: '%3$s/commitlog'
                saved_caches_directory: '%3$s/saved_caches'
                hints_directory: '%3$s/hints'
                cdc_raw_directory: '%3$s/cdc_raw'
                commitlog_sync: periodic
                commitlog_sync_period: 10s
                commitlog_segment_size: 8MiB
                endpoint_snitch: SimpleSnitch
                seed_provider:
                  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
                    parameters:
                      - seeds: '%4$s:%5$d'
                listen_address: %6$s
                rpc_address: %6$s
                storage_port: %5$d
                native_transport_port: %7$d
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
                                tokens,
                                home,
                                LocalOptions.host(1),
                                options.storagePort(),
                                LocalOptions.host(number),
                                options.cqlPort())
                + options.compatibilityMode()
                        .map(mode -> "storage_compatibility_mode: " + mode + "\n")
                        .orElse("")
                + options.extraYaml();
    }

    /** Waits until the node takes CQL. */
    void awaitReady() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + START_PATIENCE.toNanos();
        while (!answers()) {
            if (process().isEmpty()) {
                throw new IOException("node " + number + " ended while it started: " + lastOutput());
            }
            if (System.nanoTime() > deadline) {
                throw new IOException("node " + number + " takes no CQL " + START_PATIENCE.toSeconds()
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

    /** The error that it ended with, as far as it told. */
    private String lastOutput() throws IOException {
        Path console = home.resolve("logs").resolve("console.log");
        for (Path file : List.of(log(), console)) {
            List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
            Optional<String> error = lines.stream()
                    .filter(line -> line.startsWith("ERROR") || line.contains("Exception"))
                    .reduce((earlier, later) -> later);
            if (error.isPresent()) {
                return error.get() + " (log: " + file + ")";
            }
        }
        return "it did not say why (logs: " + log().getParent() + ")";
    }

    /** Ends the process as power loss would, by SIGKILL, and waits until it is gone. */
    public void kill() throws IOException, InterruptedException {
        Optional<ProcessHandle> process = process();
        if (process.isPresent()) {
            process.get().destroyForcibly();
            awaitEnd(process.get(), STOP_PATIENCE);
        }
        Files.deleteIfExists(processFile());
    }

    /** Ends the process: asked first, killed if it does not listen. Returns whether there was one. */
    boolean stop() throws IOException, InterruptedException {
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
