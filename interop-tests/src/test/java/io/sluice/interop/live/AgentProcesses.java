package io.sluice.interop.live;

import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.cassandra.LocalNode;
import io.sluice.harness.cassandra.LocalOptions;
import io.sluice.harness.cli.Main;
import io.sluice.tools.FreePort;
import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** {@code sluice agent} beside local nodes, and the coordinator, as processes. Not thread-safe. */
final class AgentProcesses implements AutoCloseable {
    private static final long END_SECONDS = 20;

    private final LocalOptions options;
    private final Path folder;
    private final Map<Integer, Path> configs;
    private final Path token;
    private final int streamingPort = FreePort.onLoopback();
    private final int adminPort = FreePort.onLoopback();
    private final Map<Integer, Process> agents = new LinkedHashMap<>();

    /** @param configs their {@code --config}, by number of the node; none for those that have none */
    AgentProcesses(LocalOptions options, Path folder, Map<Integer, Path> configs) throws IOException {
        this.options = options;
        this.configs = Map.copyOf(configs);
        this.folder = folder;
        this.token = folder.resolve("agent.token");
        AdminToken.readOrCreate(token);
    }

    /**
     * Makes certificates, as the runbook says, and puts the keys that are printed for each node into its sluice.yaml.
     */
    static Map<Integer, Path> certified(Path folder, int nodes) throws IOException, InterruptedException {
        List<Object> words = new ArrayList<>(List.of("certs", "--to", folder.resolve("tls")));
        for (int node = 1; node <= nodes; node++) {
            words.add("node" + node + "=" + LocalOptions.host(node));
        }
        String printed = String.join(
                "\n",
                StartedProcess.run(
                        JavaCommand.words(List.of("-XX:+UseSerialGC"), Main.class.getName(), words.toArray())));
        Map<Integer, Path> configs = new LinkedHashMap<>();
        for (int node = 1; node <= nodes; node++) {
            int start = printed.indexOf("# node" + node + " at ");
            int end = printed.indexOf("# node" + (node + 1) + " at ");
            String keys = printed.substring(start, end < 0 ? printed.length() : end);
            configs.put(node, Files.writeString(folder.resolve("sluice" + node + ".yaml"), keys));
        }
        return configs;
    }

    /** Starts the agent of a node. */
    void start(LocalNode node) throws IOException {
        String host = LocalOptions.host(node.number());
        List<Object> words = new ArrayList<>(List.of(
                "agent",
                "--cassandra-yaml",
                node.yamlFile(),
                "--jmx",
                "127.0.0.1:" + options.jmx(node.number()).orElseThrow(),
                "--listen",
                host + ":" + streamingPort,
                "--admin",
                host + ":" + adminPort,
                "--log",
                log(node.number()),
                "--token-file",
                token));
        if (configs.containsKey(node.number())) {
            words.addAll(List.of("--config", configs.get(node.number())));
        }
        Process agent = JavaCommand.process(List.of("-Xmx96m", "-XX:+UseSerialGC"), Main.class, words.toArray())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("agent.console").toFile())
                .start();
        agents.put(node.number(), agent);
    }

    private Path log(int node) {
        return folder.resolve("agent" + node + ".log");
    }

    /** Ends the agent of a node as power loss would. */
    void kill(int node) throws InterruptedException {
        Process agent = agents.get(node);
        if (agent != null) {
            agent.destroyForcibly().waitFor(END_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** {@code sluice cassandra replace-node}, for all agents that were started. */
    CoordinatorProcess replace(int dead, int with, String... more) throws IOException {
        return join(
                "replace-node", List.of("--dead", LocalOptions.host(dead), "--with", LocalOptions.host(with)), more);
    }

    /** {@code sluice cassandra bootstrap}, for all agents that were started. */
    CoordinatorProcess bootstrap(int node, String... more) throws IOException {
        return join("bootstrap", List.of("--node", LocalOptions.host(node)), more);
    }

    /** {@code sluice cassandra rebuild}, for all agents that were started. */
    CoordinatorProcess rebuild(int node, String... more) throws IOException {
        return join("rebuild", List.of("--node", LocalOptions.host(node)), more);
    }

    private CoordinatorProcess join(String command, List<String> who, String... more) throws IOException {
        List<Object> words = new ArrayList<>(List.of("cassandra", command));
        words.addAll(who);
        words.addAll(List.of(more));
        words.addAll(List.of("--cql", LocalOptions.host(1) + ":" + options.cqlPort(), "--token-file", token));
        agents.keySet().forEach(node -> words.addAll(List.of("--agent", LocalOptions.host(node) + ":" + adminPort)));
        return new CoordinatorProcess(
                JavaCommand.process(List.of("-Xmx128m", "-XX:+UseSerialGC"), Main.class, words.toArray())
                        .redirectErrorStream(true)
                        .start());
    }

    /** What the agents have logged. */
    String logs() throws IOException {
        StringBuilder all = new StringBuilder();
        for (int node : agents.keySet()) {
            all.append("agent of node ").append(node).append(":\n").append(Files.readString(log(node)));
        }
        return all.toString();
    }

    @Override
    public void close() throws InterruptedException {
        for (Process agent : agents.values()) {
            agent.destroy();
            if (!agent.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                agent.destroyForcibly();
            }
        }
    }
}
