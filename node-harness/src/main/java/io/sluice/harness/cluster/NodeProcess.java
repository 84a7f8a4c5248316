package io.sluice.harness.cluster;

import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.admin.AdminException;
import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.sstable.encoding.OwnerOnly;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.tools.FreePort;
import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node in its own process. Thread-safe. Closed by its {@link Cluster}. */
public final class NodeProcess implements AutoCloseable {
    /** System property with further options for the Java of nodes, separated by blanks. */
    public static final String JAVA_OPTIONS = "sluice.node.java.options";

    private static final Logger LOG = LoggerFactory.getLogger(NodeProcess.class);
    private static final Duration START_TIMEOUT = Duration.ofMinutes(3);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(15);
    private static final long POLL_MILLIS = 50;
    private static final List<String> JVM_OPTIONS =
            List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError");

    private final Node node;
    private final NodeHome home;
    private final StartedProcess process;
    private final AdminClient admin;

    private NodeProcess(Node node, NodeHome home, StartedProcess process, AdminClient admin) {
        this.node = node;
        this.home = home;
        this.process = process;
        this.admin = admin;
    }

    /** Starts the process; {@link #awaitReady()} waits until it serves. */
    static NodeProcess start(Node node, NodeHome home, SluiceConfig config, Path tokenFile) throws IOException {
        Address admin =
                new Address(node.address().host(), FreePort.on(node.address().host()));
        Map<String, String> settings = Map.of("admin_address", "auto", "admin_port", Integer.toString(admin.port()));
        return start(List.of(), admin, node, home, config.with(settings), tokenFile);
    }

    /**
     * Starts the process in its own network; {@code entering} is the command that enters it. This process cannot reach
     * its loopback addresses, so its admin endpoint is a Unix domain socket.
     */
    @SuppressWarnings("FutureReturnValueIgnored") // the relay is closed when the process ends
    static NodeProcess startIn(List<String> entering, Node node, NodeHome home, SluiceConfig config, Path tokenFile)
            throws IOException {
        Path socket = home.adminSocket();
        SocketRelay relay = SocketRelay.start(socket);
        try {
            SluiceConfig settings = config.with(Map.of("admin_address", "unix:" + socket));
            NodeProcess started = start(entering, relay.address(), node, home, settings, tokenFile);
            started.process.process().onExit().thenRun(relay::close);
            return started;
        } catch (IOException | RuntimeException e) {
            relay.close();
            throw e;
        }
    }

    private static NodeProcess start(
            List<String> entering, Address admin, Node node, NodeHome home, SluiceConfig config, Path tokenFile)
            throws IOException {
        AdminToken token = AdminToken.read(tokenFile);
        for (Path directory : home.dataDirectories()) {
            OwnerOnly.createDirectories(directory);
        }
        OwnerOnly.createDirectories(home.logs());
        OwnerOnly.restrict(home.config());
        OwnerOnly.restrict(home.console());
        config.writeWith(
                Map.ofEntries(
                        Map.entry("node_name", node.name()),
                        Map.entry("node_id", node.id().toString()),
                        Map.entry("dc", node.location().dc()),
                        Map.entry("rack", node.location().rack()),
                        Map.entry("listen_address", node.address().host()),
                        Map.entry(
                                "storage_port", Integer.toString(node.address().port())),
                        Map.entry("admin_token_file", tokenFile.toString()),
                        Map.entry(
                                "initial_token",
                                node.tokens().stream().map(Object::toString).collect(Collectors.joining(","))),
                        Map.entry(
                                "data_file_directories",
                                home.dataDirectories().stream()
                                        .map(Path::toString)
                                        .collect(Collectors.joining("\n"))),
                        Map.entry("log_directory", home.logs().toString())),
                home.config());
        StartedProcess process = StartedProcess.start(new ProcessBuilder(command(entering, home.config()))
                .redirectErrorStream(true)
                .redirectOutput(home.console().toFile()));
        LOG.info("node {} is process {}", node, process.process().pid());
        try {
            OrphanedProcesses.note(home, process.process().toHandle());
        } catch (IOException e) {
            process.close(); // nobody else knows of it
            throw e;
        }
        return new NodeProcess(node, home, process, new AdminClient(node.name(), admin, token));
    }

    private static List<String> command(List<String> entering, Path config) {
        List<String> options = new ArrayList<>(JVM_OPTIONS);
        Stream.of(System.getProperty(JAVA_OPTIONS, "").split(" ", -1))
                .filter(option -> !option.isEmpty())
                .forEach(options::add);
        List<String> command = new ArrayList<>(entering);
        command.addAll(JavaCommand.words(
                options, "io.sluice.harness.cli.Main", "node", "--config", config, "--stop-with-parent"));
        return command;
    }

    /**
     * Waits until the node answers.
     *
     * @throws IOException if it ends, or does not answer in time
     */
    void awaitReady() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (true) {
            try {
                admin.status();
                return;
            } catch (IOException e) {
                if (e instanceof AdminException answer && answer.isRefused()) {
                    throw e;
                }
                if (!isAlive()) {
                    throw new IOException(
                            node + " exited with code " + process.process().exitValue() + " while starting: "
                                    + lastOutput() + "; its logs: " + home.logs(),
                            e);
                }
                if (System.nanoTime() > deadline) {
                    throw new IOException(
                            node + " did not answer within " + START_TIMEOUT.toSeconds()
                                    + " s after its start; its logs: " + home.logs(),
                            e);
                }
                Thread.sleep(POLL_MILLIS);
            }
        }
    }

    private String lastOutput() throws IOException {
        List<String> lines = Files.readAllLines(home.console());
        return lines.isEmpty() ? "it printed nothing" : lines.get(lines.size() - 1);
    }

    public Node node() {
        return node;
    }

    public NodeHome home() {
        return home;
    }

    public AdminClient admin() {
        return admin;
    }

    /** The process itself. */
    public ProcessHandle handle() {
        return process.process().toHandle();
    }

    public boolean isAlive() {
        return process.process().isAlive();
    }

    public ProcessUsage usage() {
        return ProcessUsage.of(handle());
    }

    /** Kills the process by SIGKILL, without a chance to clean up, and waits until it has ended. */
    public void kill() throws IOException, InterruptedException {
        process.kill();
        LOG.info("node {} was killed", node);
    }

    /** Sends a signal by name, such as {@code STOP}. */
    public void signal(String name) throws IOException, InterruptedException {
        process.signal(name);
        LOG.info("node {} was sent SIG{}", node, name);
    }

    /** Number of open descriptors and threads of the process. */
    public ProcessCounts counts() throws IOException {
        return ProcessCounts.of(handle());
    }

    /**
     * Asks the process to stop, by SIGTERM, and waits for it.
     *
     * @return its exit code; 143 if it stopped in order
     * @throws IOException if it does not end within 15 s
     */
    public int stop() throws IOException, InterruptedException {
        process.terminate(); // with its input open, or it would halt as one whose parent has ended
        try {
            int code = process.awaitExit(STOP_TIMEOUT);
            LOG.info("node {} exited with code {}", node, code);
            return code;
        } catch (IOException e) {
            throw new IOException(node + " did not end after SIGTERM (logs: " + home.logs() + ")", e);
        }
    }

    /** Stops the process, and kills it if it does not stop. */
    @Override
    public void close() {
        try (process) {
            stop();
        } catch (IOException e) {
            LOG.warn("killing it: {}", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Kills the process without waiting, from a shutdown hook. */
    void abandon() {
        process.process().destroyForcibly();
    }
}
