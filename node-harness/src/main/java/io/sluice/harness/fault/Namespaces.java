package io.sluice.harness.fault;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A network in this machine's kernel: each node has its own namespace, linked (veth) to a common bridge; each direction
 * of a link may be limited (tbf). Needs root on Linux and iproute2. Thread-safe; removes what it created.
 */
public final class Namespaces implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Namespaces.class);
    private static final int PORT = 7000;
    private static final int SUBNETS = 250;
    private static final int OWN_NUMBER = 254;
    private static final List<Path> TOOLS =
            List.of(Path.of("/usr/sbin/ip"), Path.of("/sbin/ip"), Path.of("/usr/bin/ip"), Path.of("/bin/ip"));

    /** Burst of a limited link: enough for any rate that the kernel can enforce with its timer. */
    private static final String BURST = "1mb";

    /** A hardware address that no link has. */
    private static final String NOBODY = "02:00:00:00:00:00";

    private final String prefix;
    private final String subnet;
    private final Optional<Long> bytesPerSecond;

    @GuardedBy("this")
    private final Map<UUID, String> made = new LinkedHashMap<>();

    /** How many cuts each pair of nodes has. */
    @GuardedBy("this")
    private final Multiset<Set<UUID>> cuts = HashMultiset.create();

    private Namespaces(String prefix, String subnet, Optional<Long> bytesPerSecond) {
        this.prefix = prefix;
        this.subnet = subnet;
        this.bytesPerSecond = bytesPerSecond;
    }

    /** Whether this user may create networks here: only root on Linux, with iproute2. */
    public static boolean isPossible() {
        return "root".equals(System.getProperty("user.name")) && TOOLS.stream().anyMatch(Files::isExecutable);
    }

    /**
     * Creates a network without nodes; first removes networks that a killed harness orphaned.
     *
     * @param bytesPerSecond of each link, in each direction; empty for no limit
     * @throws IOException with the system's message, if it refuses
     */
    public static Namespaces open(Optional<Long> bytesPerSecond) throws IOException, InterruptedException {
        OrphanedNetworks.remove();
        long process = ProcessHandle.current().pid();
        Namespaces all = new Namespaces("sl" + process, "10.213." + process % SUBNETS + ".", bytesPerSecond);
        run("ip", "link", "add", all.bridge(), "type", "bridge");
        run("ip", "addr", "add", all.subnet + OWN_NUMBER + "/24", "dev", all.bridge());
        run("ip", "link", "set", all.bridge(), "up");
        return all;
    }

    private String bridge() {
        return prefix + "b";
    }

    /** Address of the n-th node, 1 to 253. */
    public Address address(int n) {
        return new Address(subnet + n, PORT);
    }

    /** Prefix of a command that is to run in the namespace of {@code node}, which is created if missing. */
    public synchronized List<String> at(Node node) throws IOException, InterruptedException {
        String name = made.get(node.id());
        if (name == null) {
            name = prefix + "n" + made.size();
            made.put(node.id(), name);
            connect(name, node.address().host());
        }
        return List.of("ip", "netns", "exec", name);
    }

    /** The end of a node's link that is in its namespace. */
    private static String inside(String name) {
        return name + "i";
    }

    @GuardedBy("this")
    private void connect(String name, String address) throws IOException, InterruptedException {
        String outside = name + "o";
        String inside = inside(name);
        run("ip", "netns", "add", name);
        run("ip", "link", "add", outside, "type", "veth", "peer", "name", inside, "netns", name);
        run("ip", "link", "set", outside, "master", bridge(), "up");
        run("ip", "-n", name, "addr", "add", address + "/24", "dev", inside);
        run("ip", "-n", name, "link", "set", "lo", "up");
        run("ip", "-n", name, "link", "set", inside, "up");
        if (bytesPerSecond.isPresent()) {
            String rate = bytesPerSecond.get() * Byte.SIZE + "bit";
            run("tc", "qdisc", "add", "dev", outside, "root", "tbf", "rate", rate, "burst", BURST, "latency", "50ms");
            run(
                    "tc", "-n", name, "qdisc", "add", "dev", inside, "root", "tbf", "rate", rate, "burst", BURST,
                    "latency", "50ms");
        }
    }

    /** Drops all traffic between two different nodes; neither is notified. */
    public synchronized void cut(Node one, Node other) throws IOException, InterruptedException {
        cuts.add(Set.of(one.id(), other.id()));
        drop(one, other);
        drop(other, one);
    }

    /** Frames to an address that nobody has get lost without an error; a route that refuses packets would cause one. */
    @GuardedBy("this")
    private void drop(Node from, Node to) throws IOException, InterruptedException {
        neighbour(from, to, "replace", "lladdr", NOBODY, "nud", "permanent");
    }

    /** Ends a cut of two nodes; the last one to end restores their traffic. */
    public synchronized void heal(Node one, Node other) throws IOException, InterruptedException {
        Set<UUID> pair = Set.of(one.id(), other.id());
        cuts.remove(pair);
        if (!cuts.contains(pair)) {
            neighbour(one, other, "del");
            neighbour(other, one, "del");
        }
    }

    /** Changes what a node takes for the hardware address of another one. */
    @GuardedBy("this")
    private void neighbour(Node from, Node to, String change, String... parameters)
            throws IOException, InterruptedException {
        String name = made.get(from.id());
        if (name != null) {
            List<String> command = new ArrayList<>(
                    List.of("ip", "-n", name, "neigh", change, to.address().host(), "dev", inside(name)));
            command.addAll(List.of(parameters));
            run(command.toArray(String[]::new));
        }
    }

    /**
     * Runs a command and returns its output.
     *
     * @throws IOException with the output, if the command fails
     * @throws InterruptedException if the thread was interrupted meanwhile; the command has ended, or still runs
     */
    static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + said.strip());
        }
        if (Thread.interrupted()) { // waitFor does not notice it if the command had ended before
            throw new InterruptedException();
        }
        return said;
    }

    @Override
    public synchronized void close() {
        made.values().forEach(name -> remove("ip", "netns", "del", name));
        made.clear();
        remove("ip", "link", "del", bridge());
    }

    private static void remove(String... command) {
        try {
            run(command);
        } catch (IOException e) {
            LOG.warn("cannot remove the network: {}", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
