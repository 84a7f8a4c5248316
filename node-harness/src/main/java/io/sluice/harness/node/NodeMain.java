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

/** The life of a node process: start, serve, end when asked to, by whatever way. */
public final class NodeMain {
    private static final String UNIX = "unix:";
    private static final long ORPHAN_SECONDS = 10;

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
            log.info("node {} stops", settings.nodeName());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
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
                    haltLater();
                },
                "sluice-parent");
        watcher.setDaemon(true);
        watcher.start();
    }

    /** Nobody would end a node that waits for a disk, or has just begun to start. Its files are made for that. */
    private static void haltLater() {
        try {
            TimeUnit.SECONDS.sleep(ORPHAN_SECONDS);
            LoggerFactory.getLogger(NodeMain.class)
                    .warn("the parent is gone, and this node did not end within {} s: halted", ORPHAN_SECONDS);
            Runtime.getRuntime().halt(ExitCode.FAILED.number());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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

    /** Only this machine reaches it, or, by a Unix domain socket, only the user of this process. */
    static SocketAddress adminAddress(NodeSettings settings, InetAddress listen) throws IOException {
        String wanted = settings.adminAddress();
        if (wanted.startsWith(UNIX)) {
            return UnixDomainSocketAddress.of(wanted.substring(UNIX.length()));
        }
        InetAddress local = listen.isLoopbackAddress() ? listen : InetAddress.getLoopbackAddress();
        InetAddress address = wanted.equals("auto") ? local : InetAddress.getByName(wanted);
        if (!address.isLoopbackAddress()) {
            throw new ConfigException("admin_address: " + wanted
                    + ": other machines reach it, and its token would pass them in plain text (expected: auto, a"
                    + " loopback address, or " + UNIX + " and the path of a Unix domain socket)");
        }
        return new InetSocketAddress(address, settings.adminPort());
    }
}
