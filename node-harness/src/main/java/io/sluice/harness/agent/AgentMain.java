package io.sluice.harness.agent;

import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.admin.Refusal;
import io.sluice.harness.cassandra.NodeJmx;
import io.sluice.harness.http.HttpEndpoint;
import io.sluice.harness.http.HttpLimits;
import io.sluice.netty.StreamOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs an agent process: waits for its node, serves, and stops when asked to. */
public final class AgentMain {
    private static final Logger LOG = LoggerFactory.getLogger(AgentMain.class);
    private static final long POLL_SECONDS = 1;
    private static final String NO_ANSWER = "this agent's node has not answered yet: ";

    private final AgentSettings settings;
    private final Supplier<StreamOptions.Builder> streaming;
    private volatile Optional<RunningAgent> running = Optional.empty();
    private volatile String waitsBecause = NO_ANSWER + "nobody has asked it";
    private final CountDownLatch stopAsked = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);

    private AgentMain(AgentSettings settings, Supplier<StreamOptions.Builder> streaming) {
        this.settings = settings;
        this.streaming = streaming;
    }

    /**
     * Runs until the process is asked to end.
     *
     * @param streaming options, made anew for each start
     * @throws IOException if the admin endpoint cannot listen, or the agent cannot start beside its node
     */
    public static void run(AgentSettings settings, Supplier<StreamOptions.Builder> streaming) throws IOException {
        new AgentMain(settings, streaming).serve();
    }

    private void serve() throws IOException {
        AdminToken token = AdminToken.readOrCreate(settings.tokenFile());
        InetSocketAddress admin =
                new InetSocketAddress(settings.admin().host(), settings.admin().port());
        // The last line before the try that lets it return: a failure in between would never end.
        Runtime.getRuntime().addShutdownHook(new Thread(this::stopAndWait, "sluice-stop"));
        try (HttpEndpoint endpoint = HttpEndpoint.start(
                admin, token, HttpLimits.DEFAULTS, new AgentVerbs(() -> running, () -> waitsBecause))) {
            LOG.info("agent beside the node at {}, admin endpoint at {}", settings.jmx(), endpoint.address());
            Optional<RunningAgent> started = awaitNode();
            if (started.isPresent()) {
                running = started;
                LOG.info(
                        "agent of node {} is up, streams at {}",
                        started.get().node().hostId(),
                        settings.streaming());
                stopAsked.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            running.ifPresent(RunningAgent::close);
            stopped.countDown();
        }
    }

    /** A node that is about to start has no JMX yet; with a wrong login it never has. */
    private Optional<RunningAgent> awaitNode() throws IOException, InterruptedException {
        do {
            NodeJmx jmx = new NodeJmx(settings.jmx());
            Optional<String> obstacle = obstacle(jmx);
            if (obstacle.isEmpty()) {
                waitsBecause = "this agent is starting beside its node"; // which may take long, if much has landed
                return Optional.of(RunningAgent.start(settings, jmx, streaming.get()));
            }
            jmx.close();
            String reason = NO_ANSWER + obstacle.get();
            if (!reason.equals(waitsBecause)) {
                waitsBecause = reason;
                LOG.warn("waiting for the node at {}: {}", settings.jmx(), obstacle.get());
            }
        } while (!stopAsked.await(POLL_SECONDS, TimeUnit.SECONDS));
        return Optional.empty();
    }

    /** Why the node cannot be served yet; empty if it is that of the file, knows its own id and has tables. */
    private Optional<String> obstacle(NodeJmx jmx) {
        try {
            ManagedNode node = new ManagedNode(jmx);
            Optional<String> endpoint = node.endpoint(node.hostId());
            Optional<String> difference = settings.yaml().difference(node.dataDirectories(), endpoint);
            if (difference.isPresent()) {
                return difference.map(
                        its -> "the node at " + settings.jmx() + " does not match --cassandra-yaml: " + its);
            }
            return node.tables().isEmpty() ? Optional.of("it has no tables yet") : Optional.empty();
        } catch (IOException e) {
            return Optional.of(Refusal.because(e).reason());
        } catch (IllegalArgumentException e) {
            LOG.debug("host id: {}", e.toString());
            return Optional.of("it does not know its own id yet");
        }
    }

    private void stopAndWait() {
        stopAsked.countDown();
        try {
            stopped.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
