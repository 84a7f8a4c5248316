package io.sluice.harness.node;

import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.config.NodeSettings;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.config.StreamSettings;
import io.sluice.harness.http.HttpEndpoint;
import io.sluice.harness.http.HttpLimits;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The life of a node process: start, serve, end when asked to, by whatever way. */
public final class NodeMain {
    private final CountDownLatch stopAsked = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);

    /**
     * Runs until the node is asked to stop.
     *
     * @param watchStandardInput also stop when standard input ends: a parent that dies takes its nodes with it
     * @throws IOException if the store cannot be opened, or an address is taken
     */
    public static void run(SluiceConfig config, boolean watchStandardInput) throws IOException {
        new NodeMain().serve(config.node(), config.streaming(), watchStandardInput);
    }

    private NodeMain() {}

    private void serve(NodeSettings settings, StreamSettings streaming, boolean watchStandardInput) throws IOException {
        Logger log = LoggerFactory.getLogger(NodeMain.class);
        Runtime.getRuntime().addShutdownHook(new Thread(this::stopAndWait, "sluice-stop"));
        if (watchStandardInput) {
            startWatching();
        }
        InetAddress listen = InetAddress.getByName(settings.listenAddress());
        InetSocketAddress admin =
                new InetSocketAddress(adminAddress(settings, listen, isInNetworkApart()), settings.adminPort());
        AdminToken token = AdminToken.readOrCreate(settings.adminTokenFile());
        try (RunningNode node = RunningNode.start(settings, streaming);
                HttpEndpoint server = HttpEndpoint.start(
                        admin, token, HttpLimits.DEFAULTS, new AdminVerbs(node, stopAsked::countDown))) {
            log.info("node {} is up, admin endpoint at {}", settings.nodeName(), server.address());
            stopAsked.await();
            log.info("node {} stops", settings.nodeName());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException e) {
            log.error("node {} cannot run", settings.nodeName(), e);
            throw e;
        } finally {
            stopped.countDown();
        }
    }

    private void startWatching() {
        Thread watcher = new Thread(
                () -> {
                    try {
                        while (System.in.read() >= 0) {
                            // Whatever is written does not matter; only the end does.
                        }
                    } catch (IOException e) {
                        LoggerFactory.getLogger(NodeMain.class).warn("standard input is lost: {}", e.toString());
                    }
                    stopAsked.countDown();
                },
                "sluice-parent");
        watcher.setDaemon(true);
        watcher.start();
    }

    /** Signals end here: the JVM halts when its hooks are done, so this one waits for an orderly end. */
    private void stopAndWait() {
        stopAsked.countDown();
        try {
            stopped.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Only this machine reaches it.
     *
     * @param isApart whether this process lives in a network of its own, which nobody but this machine reaches
     */
    static InetAddress adminAddress(NodeSettings settings, InetAddress listen, boolean isApart) throws IOException {
        if (settings.adminAddress().equals("auto")) {
            return listen.isLoopbackAddress() ? listen : InetAddress.getLoopbackAddress();
        }
        InetAddress address = InetAddress.getByName(settings.adminAddress());
        if (!address.isLoopbackAddress() && !(settings.adminAllowPlaintext() && isApart)) {
            throw new ConfigException("admin_address: " + settings.adminAddress()
                    + ": other machines reach it, and its token would pass them in plain text (expected: auto, or a"
                    + " loopback address; another one only in a network namespace of a scenario, with"
                    + " admin_allow_plaintext: true)");
        }
        return address;
    }

    /** Whether this process lives in a network apart from that of the machine, as nodes of scenarios do. */
    private static boolean isInNetworkApart() {
        try {
            Path own = Files.readSymbolicLink(Path.of("/proc/self/ns/net"));
            return !own.equals(Files.readSymbolicLink(Path.of("/proc/1/ns/net")));
        } catch (IOException | UnsupportedOperationException e) {
            LoggerFactory.getLogger(NodeMain.class).debug("no network namespaces to compare: {}", e.toString());
            return false;
        }
    }
}
