package io.sluice.bench.replace;

import io.sluice.bench.process.Machine;
import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.cassandra.LocalNode;
import io.sluice.harness.cassandra.LocalOptions;
import io.sluice.harness.cli.Main;
import io.sluice.harness.report.SluiceVersion;
import io.sluice.hook.HookAgent;
import io.sluice.sstable.SSTable;
import io.sluice.tools.FreePort;
import io.sluice.tools.JavaCommand;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * {@code ./sluice cassandra replace-node}: Sluice's agents beside the nodes of Cassandra bring the data. Not
 * thread-safe.
 */
final class AgentsReplace implements Contender {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final long END_SECONDS = 60;
    /** As {@code ./sluice agent} has them. */
    static final List<String> AGENT_OPTIONS = List.of(
            "-Xms24m",
            "-Xmx192m",
            "-XX:+UseSerialGC",
            "-XX:CompileThresholdScaling=4",
            "-XX:Tier4InvocationThreshold=40000",
            "-XX:Tier4MinInvocationThreshold=5000",
            "-XX:Tier4CompileThreshold=120000",
            "-XX:Tier4BackEdgeThreshold=400000");

    /** As {@code ./sluice cassandra replace-node} has them. */
    static final List<String> COMMAND_OPTIONS =
            List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=4");

    private final RunningCassandra cassandra;
    private final Arena arena;
    private final Path hook;

    AgentsReplace(RunningCassandra cassandra, Arena arena, Path hook) {
        this.cassandra = cassandra;
        this.arena = arena;
        this.hook = hook;
    }

    /**
     * The jar that goes into the JVM of a node that joins.
     *
     * @throws IllegalArgumentException if there are only classes, as in a build that has not come so far
     */
    static Path hookJar() {
        try {
            Path jar = Path.of(HookAgent.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            if (Files.isRegularFile(jar)) {
                return jar;
            }
            throw new IllegalArgumentException(
                    "--agents: " + jar + " is no jar (expected: sluice-cassandra-hook.jar, as in a build by ./sluice)");
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public String name() {
        return SluiceVersion.TEXT + " agents";
    }

    @Override
    public String what() {
        return "the same new node of Cassandra with Sluice's hook, an agent beside each node, and ./sluice cassandra"
                + " replace-node: from \"Starting to bootstrap\" in its log until the node is NORMAL. The command"
                + " was started before that, as an operator does. All replicas are asked, every byte is compared with"
                + " a checksum of its source, the content by digest, and all is synced before it is imported. CPU is that"
                + " of the nodes with their agents, and of the command at the receiver.";
    }

    @Override
    public boolean isVerified() {
        return true;
    }

    @Override
    public boolean isDurable() {
        return true;
    }

    /** The processes of one replacement. */
    private record Started(Process agentOfNode, List<Process> agentsOfSources, Process command) {
        List<Process> all() {
            List<Process> all = new ArrayList<>(agentsOfSources);
            all.add(agentOfNode);
            all.add(command);
            return all;
        }
    }

    @Override
    public Replacement replace(Consumer<String> told) throws IOException, InterruptedException {
        told.accept("a node and agents start");
        double load = Machine.load();
        int dead = cassandra.dead();
        Path folder = Files.createDirectories(arena.home().resolve("agents"));
        arena.prepareMemory();
        LocalNode node = cassandra.join(List.of("-javaagent:" + hook + "=agent_timeout=60s"));
        Started started = start(node, dead, folder);
        try {
            return measured(node, started, load, told);
        } finally {
            end(started.all());
        }
    }

    private Replacement measured(LocalNode node, Started started, double load, Consumer<String> told)
            throws IOException, InterruptedException {
        JoinWatch watch = new JoinWatch(node);
        long asked = watch.awaitAsking(arena, told);
        told.accept("agents bring the data");
        CpuMeter receiver = CpuMeter.ofHandles(List.of(
                RunningCassandra.process(node),
                started.agentOfNode().toHandle(),
                started.command().toHandle()));
        List<ProcessHandle> sending = new ArrayList<>(cassandra.sources());
        started.agentsOfSources().forEach(agent -> sending.add(agent.toHandle()));
        CpuMeter sources = CpuMeter.ofHandles(sending);
        long normal = watch.await(JoinPhase.NORMAL);
        double receiverCpu = receiver.seconds();
        double sourceCpu = sources.seconds();
        requireEnd(started.command());
        told.accept("what was received is compared");
        List<SSTable> came = cassandra.sstables(node);
        arena.requireSame(name(), came);
        double seconds = (normal - asked) / NANOS_PER_SECOND;
        Replacement done = new Replacement(
                seconds,
                Optional.of(seconds),
                receiverCpu,
                sourceCpu,
                came.stream().mapToLong(SSTable::bytesOnDisk).sum(),
                came.size(),
                came.size() + " imported",
                load);
        told.accept("the node dies");
        cassandra.killJoined();
        return done;
    }

    private Started start(LocalNode node, int dead, Path folder) throws IOException {
        Path token = folder.resolve("agent.token");
        AdminToken.readOrCreate(token);
        int streaming = FreePort.onLoopback();
        int admin = FreePort.onLoopback();
        List<Process> agents = new ArrayList<>();
        try {
            List<LocalNode> all = new ArrayList<>(cassandra.survivors());
            all.add(node);
            List<Object> words = new ArrayList<>(List.of(
                    "cassandra",
                    "replace-node",
                    "--dead",
                    LocalOptions.host(dead),
                    "--with",
                    LocalOptions.host(node.number()),
                    "--cql",
                    cassandra.nodes().get(0).toString(),
                    "--token-file",
                    token));
            for (LocalNode one : all) {
                agents.add(agent(one, new Ports(streaming, admin), token, folder));
                words.addAll(List.of("--agent", LocalOptions.host(one.number()) + ":" + admin));
            }
            Process command = begin(COMMAND_OPTIONS, folder.resolve("command.out"), words);
            return new Started(agents.get(agents.size() - 1), agents.subList(0, agents.size() - 1), command);
        } catch (IOException failed) {
            agents.forEach(Process::destroyForcibly);
            throw failed;
        }
    }

    /** Of each agent, on the address of its node. */
    private record Ports(int streaming, int admin) {}

    private Process agent(LocalNode node, Ports ports, Path token, Path folder) throws IOException {
        String host = LocalOptions.host(node.number());
        return begin(
                AGENT_OPTIONS,
                folder.resolve("agent" + node.number() + ".out"),
                List.of(
                        "agent",
                        "--cassandra-yaml",
                        node.yamlFile(),
                        "--jmx",
                        "127.0.0.1:" + cassandra.options().jmx(node.number()).orElseThrow(),
                        "--listen",
                        host + ":" + ports.streaming(),
                        "--admin",
                        host + ":" + ports.admin(),
                        "--log",
                        folder.resolve("agent" + node.number() + ".log"),
                        "--token-file",
                        token));
    }

    private static Process begin(List<String> options, Path out, List<?> words) throws IOException {
        return JavaCommand.process(options, Main.class, words.toArray())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
    }

    private void requireEnd(Process command) throws IOException, InterruptedException {
        Path out = arena.home().resolve("agents").resolve("command.out");
        if (!command.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException(name() + ": the node is NORMAL, and replace-node has not ended " + END_SECONDS
                    + " s later; it says: " + Files.readString(out));
        }
        if (command.exitValue() != 0) {
            throw new IOException(name() + ": replace-node ended with " + command.exitValue() + "; it says: "
                    + Files.readString(out));
        }
    }

    private static void end(List<Process> processes) throws InterruptedException {
        processes.forEach(Process::destroy);
        for (Process process : processes) {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        }
    }
}
