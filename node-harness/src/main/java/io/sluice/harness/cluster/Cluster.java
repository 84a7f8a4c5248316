package io.sluice.harness.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.fault.Namespaces;
import io.sluice.harness.security.TrialAuthority;
import io.sluice.netty.TlsFiles;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node processes of one run. None outlives it: {@link #close()} stops them, {@link #abandon()} kills them, and
 * nodes stop by themselves when this process dies. Thread-safe.
 */
public final class Cluster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Cluster.class);

    private final Path workDirectory;
    private final SluiceConfig config;
    private final boolean isEncrypted;
    private final Optional<Namespaces> networks;

    @GuardedBy("this")
    private final Map<Node, TlsFiles> certificates = new HashMap<>();

    @GuardedBy("this")
    private @Nullable TrialAuthority authority;

    @GuardedBy("this")
    private final List<NodeProcess> processes = new ArrayList<>();

    @GuardedBy("this")
    private boolean closed;

    /** Creates nodes with these settings. */
    public Cluster(Path workDirectory, SluiceConfig config) {
        this(workDirectory, config, false, Optional.empty());
    }

    private Cluster(Path workDirectory, SluiceConfig config, boolean isEncrypted, Optional<Namespaces> networks) {
        this.workDirectory = workDirectory;
        this.config = config;
        this.isEncrypted = isEncrypted;
        this.networks = networks;
    }

    /**
     * Creates nodes with another kind of network: encrypted, with certificates of their own authority, or in network
     * namespaces, which are removed when the cluster is closed.
     */
    public static Cluster connected(Path workDirectory, SluiceConfig config, LinkOptions links)
            throws IOException, InterruptedException {
        Optional<Namespaces> networks =
                links.areNamespaces() ? Optional.of(Namespaces.open(links.bytesPerSecond())) : Optional.empty();
        return new Cluster(workDirectory, config, links.areEncrypted(), networks);
    }

    /** The network namespaces of the nodes, unless all nodes use loopback addresses. */
    public Optional<Namespaces> networks() {
        return networks;
    }

    /** A free address for the n-th node, 1 to 253. */
    public Address freeAddress(int n) throws IOException {
        // Leaves 127.0.0.1 to other programs on this machine.
        return networks.isPresent() ? networks.get().address(n) : Loopback.freeAddress(n + 1);
    }

    /** Starts these nodes in parallel, and waits until all of them serve. */
    public List<NodeProcess> start(List<Node> nodes) throws IOException, InterruptedException {
        List<NodeProcess> started = new ArrayList<>();
        for (Node node : nodes) {
            started.add(launch(node));
        }
        for (NodeProcess process : started) {
            process.awaitReady();
        }
        return started;
    }

    private synchronized NodeProcess launch(Node node) throws IOException, InterruptedException {
        if (closed) {
            throw new IOException("the cluster is closed; " + node + " was not started");
        }
        Path tokenFile = AdminToken.file(workDirectory);
        if (processes.isEmpty()) {
            AdminToken.create(tokenFile); // for this run only
        }
        NodeHome home = NodeHome.of(workDirectory, node);
        NodeProcess process = networks.isPresent()
                ? NodeProcess.startIn(networks.get().at(node), node, home, settings(node), tokenFile)
                : NodeProcess.start(node, home, settings(node), tokenFile);
        processes.removeIf(earlier -> earlier.node().equals(node));
        processes.add(process);
        writeEndpoints();
        return process;
    }

    @GuardedBy("this")
    private SluiceConfig settings(Node node) throws IOException {
        if (!isEncrypted) {
            // Networks of the kernel that exist for this run only, and that nothing else can reach.
            return networks.isPresent() ? config.with(Map.of("allow_plaintext", "true")) : config;
        }
        TlsFiles known = certificates.get(node);
        if (known == null) {
            known = authority().issue(node.name(), node.address().host(), node.id());
            certificates.put(node, known);
        }
        return config.with(Map.of(
                "tls_certificate", known.certificate().toString(),
                "tls_key", known.key().toString(),
                "tls_trust", known.trust().toString()));
    }

    /** Created for each run: its key is never written to a disk. */
    @GuardedBy("this")
    private TrialAuthority authority() throws IOException {
        TrialAuthority known = authority;
        if (known == null) {
            Path folder = workDirectory.resolve("tls");
            if (Files.isDirectory(folder)) {
                try (DirectoryStream<Path> old = Files.newDirectoryStream(folder)) {
                    for (Path file : old) {
                        Files.delete(file);
                    }
                }
            }
            known = new TrialAuthority(folder);
            authority = known;
        }
        return known;
    }

    @GuardedBy("this")
    private void writeEndpoints() throws IOException {
        Map<String, Address> admin = new LinkedHashMap<>();
        processes.forEach(
                process -> admin.put(process.node().name(), process.admin().address()));
        new Endpoints(admin).write(workDirectory);
    }

    /** Kills all processes at once; no more can be started. */
    public synchronized void abandon() {
        closed = true;
        processes.forEach(NodeProcess::abandon);
        networks.ifPresent(Namespaces::close);
        removeFiles();
    }

    /** Stops all processes in order. */
    @Override
    public void close() {
        List<NodeProcess> all;
        synchronized (this) {
            closed = true;
            all = List.copyOf(processes);
        }
        all.parallelStream().forEach(NodeProcess::close);
        networks.ifPresent(Namespaces::close);
        removeFiles();
    }

    /** Those that exist as long as the run: by them others find its nodes. */
    private void removeFiles() {
        for (Path file : List.of(Endpoints.file(workDirectory), AdminToken.file(workDirectory))) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                LOG.warn("cannot remove {}: {}", file, e.getMessage());
            }
        }
    }
}
