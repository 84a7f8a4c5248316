package io.sluice.harness.node;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.harness.admin.CancelOrder;
import io.sluice.harness.admin.CreateTableOrder;
import io.sluice.harness.admin.DigestOrder;
import io.sluice.harness.admin.DiskRateOrder;
import io.sluice.harness.admin.FetchOrder;
import io.sluice.harness.admin.PauseOrder;
import io.sluice.harness.admin.ReadOrder;
import io.sluice.harness.admin.Refusal;
import io.sluice.harness.admin.ThroughputOrder;
import io.sluice.harness.admin.WriteOrder;
import io.sluice.harness.json.Json;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The admin endpoint of a node: JSON over HTTP, on an address that only this machine reaches. Thread-safe; owns its
 * threads.
 */
final class AdminServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);
    private static final String FETCH_STATE = "GET /fetch/";
    private static final int THREADS = 8; // a digest takes long, and writes must not wait for it
    private static final int MAX_REQUEST_BYTES = 4 << 20;

    private final RunningNode node;
    private final Runnable stop;
    private final HttpServer http;
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    private AdminServer(RunningNode node, Runnable stop, HttpServer http) {
        this.node = node;
        this.stop = stop;
        this.http = http;
    }

    /** @param stop is run, from a thread of the server, when somebody asks the node to end */
    static AdminServer start(InetSocketAddress address, RunningNode node, Runnable stop) throws IOException {
        AdminServer server = new AdminServer(node, stop, HttpServer.create(address, 0));
        server.http.setExecutor(server.threads);
        server.http.createContext("/", server::serve);
        server.http.start();
        return server;
    }

    InetSocketAddress address() {
        return http.getAddress();
    }

    private void serve(HttpExchange exchange) throws IOException {
        String request =
                exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath();
        // The exchange is closed last: who closes it before the refusal is sent leaves the client without a reason.
        try (exchange) {
            try {
                answer(
                        exchange,
                        200,
                        answerTo(request, exchange.getRequestBody().readNBytes(MAX_REQUEST_BYTES)));
            } catch (IOException | RuntimeException e) {
                LOG.warn("admin request {} failed", request, e);
                answer(exchange, 500, Refusal.because(e));
            }
        }
    }

    private Object answerTo(String request, byte[] body) throws IOException {
        if (request.startsWith(FETCH_STATE)) {
            return node.fetchState(UUID.fromString(request.substring(FETCH_STATE.length())));
        }
        return switch (request) {
            case "GET /status" -> node.status();
            case "POST /fetch" -> node.fetch(Json.MAPPER.readValue(body, FetchOrder.class));
            case "POST /digest" -> node.digests(Json.MAPPER.readValue(body, DigestOrder.class));
            case "GET /netstats" -> node.netStats();
            case "POST /cancel" -> {
                node.cancel(Json.MAPPER.readValue(body, CancelOrder.class));
                yield "cancelled";
            }
            case "POST /pause" -> {
                node.pause(Json.MAPPER.readValue(body, PauseOrder.class));
                yield "done";
            }
            case "POST /throughput" -> {
                node.setThroughput(Json.MAPPER.readValue(body, ThroughputOrder.class));
                yield "set";
            }
            case "POST /disk-rate" -> {
                node.setDiskRate(Json.MAPPER.readValue(body, DiskRateOrder.class));
                yield "set";
            }
            case "POST /tables" -> {
                node.createTable(Json.MAPPER.readValue(body, CreateTableOrder.class));
                yield "created";
            }
            case "POST /write" -> {
                node.write(Json.MAPPER.readValue(body, WriteOrder.class));
                yield "written";
            }
            case "POST /read" -> node.read(Json.MAPPER.readValue(body, ReadOrder.class));
            case "POST /stop" -> {
                stop.run();
                yield "stopping";
            }
            default ->
                throw new IOException(request
                        + ": unknown (expected: GET /status, /netstats, /fetch/PLAN or POST /fetch, /digest, /tables, /write,"
                        + " /read, /cancel, /pause, /throughput, /disk-rate, /stop)");
        };
    }

    private static void answer(HttpExchange exchange, int code, Object value) throws IOException {
        byte[] json = Json.MAPPER.writeValueAsBytes(value);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(code, json.length);
        exchange.getResponseBody().write(json);
    }

    @Override
    public void close() {
        http.stop(0);
        threads.shutdownNow();
        try {
            if (!threads.awaitTermination(5, TimeUnit.SECONDS)) {
                LOG.warn("an admin request does not end; its thread is left behind");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
