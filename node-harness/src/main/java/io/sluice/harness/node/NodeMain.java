package io.sluice.harness.node;

import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.config.NodeSettings;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.http.HttpEndpoint;
import io.sluice.harness.http.HttpLimits;
import io.sluice.harness.report.ExitCode;
import io.sluice.netty.StreamOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a node process: starts it, serves, and stops in order, however it is asked to. */
public final class NodeMain {
    private static final String UNIX = "unix:";
    private static final long ORPHAN_SECONDS = 10;

    private final CountDownLatch stopAsked = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);

    /**
     * Runs until the node is asked to stop.
     *
     * @param watchStandardInput whether to stop when standard input ends, so that nodes end with their parent
     * @throws IOException if the store cannot be opened, or an address is in use
     */
    public static void run(SluiceConfig config, boolean watchStandardInput) throws IOException {
        new NodeMain().serve(config.node(), config.streaming(), watchStandardInput);
    }

    private NodeMain() {}

    private void serve(NodeSettings settings, StreamOptions.Builder streaming, boolean watchStandardInput)
            throws IOException {
        Runtime.getRuntime().addShutdownHook(new Thread(this::stopAndWait, "sluice-stop"));
        try {
            if (watchStandardInput) {
                startWatching();
            }
            serve(settings, streaming);
        } catch (IOException | RuntimeException e) {
            LoggerFactory.getLogger(NodeMain.class).error("node {} cannot run", settings.nodeName(), e);
            throw e;
        } finally {
            stopped.countDown();
        }
    }

    private void serve(NodeSettings settings, StreamOptions.Builder streaming) throws IOException {
        Logger log = LoggerFactory.getLogger(NodeMain.class);
        SocketAddress admin = adminAddress(settings, InetAddress.getByName(settings.listenAddress()));
        AdminToken token = AdminToken.readOrCreate(settings.adminTokenFile());
        try (RunningNode node = RunningNode.start(settings, streaming);
                HttpEndpoint server = HttpEndpoint.start(
                        admin, token, HttpLimits.DEFAULTS, new AdminVerbs(node, stopAsked::countDown))) {
            log.info("node {} is up, admin endpoint at {}", settings.nodeName(), server.address());
            stopAsked.await();
            log.info("node {} is stopping", settings.nodeName());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void startWatching() {
        Thread watcher = new Thread(
                () -> {
                    try {
                        while (System.in.read() >= 0) {
                            // Ignores the input; only its end matters.
                        }
                    } catch (IOException e) {
                        LoggerFactory.getLogger(NodeMain.class).warn("cannot read standard input: {}", e.toString());
                    }
                    stopAsked.countDown();
                    haltLater();
                },
                "sluice-parent");
        watcher.setDaemon(true);
        watcher.start();
    }

    /**
     * Halts a node that does not end in time, because it waits for a disk or is still starting. Its files survive that.
     */
    private static void haltLater() {
        try {
            TimeUnit.SECONDS.sleep(ORPHAN_SECONDS);
            LoggerFactory.getLogger(NodeMain.class)
                    .warn("parent process ended and this node did not stop within {} s: halting", ORPHAN_SECONDS);
            Runtime.getRuntime().halt(ExitCode.FAILED.number());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Handles a signal: the JVM halts when its shutdown hooks return, so this one waits until the node has stopped. */
    private void stopAndWait() {
        stopAsked.countDown();
        try {
            stopped.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Returns an address that only this machine can reach, or a Unix domain socket that only the user of this process
     * can use.
     */
    static SocketAddress adminAddress(NodeSettings settings, InetAddress listen) throws IOException {
        String wanted = settings.adminAddress();
        if (wanted.startsWith(UNIX)) {
            return UnixDomainSocketAddress.of(wanted.substring(UNIX.length()));
        }
        InetAddress local = listen.isLoopbackAddress() ? listen : InetAddress.getLoopbackAddress();
        InetAddress address = wanted.equals("auto") ? local : InetAddress.getByName(wanted);
        if (!address.isLoopbackAddress()) {
            throw new ConfigException("admin_address: " + wanted
                    + ": other machines can reach it, and the token is sent in plain text (expected: auto, a"
                    + " loopback address, or " + UNIX + " and the path of a Unix domain socket)");
        }
        return new InetSocketAddress(address, settings.adminPort());
    }
}
