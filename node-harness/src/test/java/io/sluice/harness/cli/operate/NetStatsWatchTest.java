package io.sluice.harness.cli.operate;

import static io.sluice.tools.StartedProcess.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.admin.NetStats;
import io.sluice.harness.admin.NodeInfo;
import io.sluice.harness.cli.Main;
import io.sluice.harness.cluster.Endpoints;
import io.sluice.harness.json.Json;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When {@code netstats --watch} ends, as a process that watches the run of a work directory. */
@Timeout(300)
class NetStatsWatchTest {
    private static final String GONE = "sluice: the nodes are gone";

    @TempDir
    private Path work = Path.of("");

    private HttpServer node;

    /** The admin endpoint of a node that streams nothing. */
    @BeforeEach
    void run() throws IOException {
        AdminToken.create(AdminToken.file(work));
        node = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        Node self = new Node(UUID.randomUUID(), "node1", new Address("127.0.0.1", 1), List.of(new Token(1)));
        NodeInfo status = new NodeInfo(self, "nio", NodeInfo.Mode.NORMAL, List.of(), List.of());
        NetStats stats = new NetStats(status, List.of(), List.of(), 0, 0, List.of());
        node.createContext("/netstats", exchange -> {
            try (exchange) {
                byte[] json = Json.MAPPER.writeValueAsBytes(stats);
                exchange.sendResponseHeaders(200, json.length);
                exchange.getResponseBody().write(json);
            }
        });
        node.start();
        Files.writeString(
                Endpoints.file(work),
                "{\"node1\": \"127.0.0.1:" + node.getAddress().getPort() + "\"}");
    }

    @AfterEach
    void stop() {
        node.stop(0);
    }

    private StartedProcess watch() throws IOException {
        return StartedProcess.java(List.of(), Main.class, "netstats", "--watch", "--json", "--work-dir", work);
    }

    @Test
    void a_run_that_ends_is_a_good_end() throws Exception {
        try (StartedProcess watch = watch()) {
            watch.awaitLine(line -> line.contains("node1"));
            Files.delete(Endpoints.file(work));

            assertThat(watch.awaitExit(TIMEOUT)).isZero();
            assertThat(watch.lines()).endsWith(GONE);
        }
    }

    @Test
    void so_are_nodes_that_listen_no_more() throws Exception {
        try (StartedProcess watch = watch()) {
            watch.awaitLine(line -> line.contains("node1"));
            node.stop(0);

            assertThat(watch.awaitExit(TIMEOUT)).isZero();
            assertThat(watch.lines()).endsWith(GONE);
        }
    }

    @Test
    void a_run_that_was_never_there_is_wrong_usage() throws Exception {
        Files.delete(Endpoints.file(work));
        try (StartedProcess watch = watch()) {
            assertThat(watch.awaitExit(TIMEOUT)).isEqualTo(2);
            assertThat(watch.lines()).singleElement().asString().contains("no run is going on there");
        }
    }

    @Test
    void a_watch_that_nobody_reads_on_ends() throws Exception {
        Path errors = work.resolve("errors");
        Process watch = JavaCommand.process(List.of(), Main.class, "netstats", "--watch", "--json", "--work-dir", work)
                .redirectError(errors.toFile())
                .start();
        try {
            watch.getInputStream().read();
            watch.getInputStream().close();

            assertThat(watch.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(watch.exitValue()).isEqualTo(1);
            assertThat(errors).content().containsOnlyOnce("sluice: standard output cannot be written");
        } finally {
            watch.destroyForcibly();
        }
    }
}
