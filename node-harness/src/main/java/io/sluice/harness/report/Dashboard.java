package io.sluice.harness.report;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.harness.json.Json;
import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The page of a run while it runs, on an address that only this machine reaches. It is notified of each new state of
 * the report. Thread-safe; owns its thread.
 */
public final class Dashboard implements Consumer<RunReport>, AutoCloseable {
    // Twice the time after which a page asks again.
    private static final long LAST_LOOK_MILLIS = 1000;

    private final HttpServer http;
    private final CountDownLatch lastSeen = new CountDownLatch(1);
    private volatile @Nullable RunReport latest;
    private volatile boolean isWatched;

    private Dashboard(HttpServer http) {
        this.http = http;
    }

    /**
     * Begins to serve the page.
     *
     * @param port 0 for a free one
     */
    public static Dashboard start(int port) throws IOException {
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        Dashboard dashboard = new Dashboard(http);
        http.createContext("/", dashboard::serve);
        http.start();
        return dashboard;
    }

    /** Where the page is. */
    public URI address() {
        InetSocketAddress bound = http.getAddress();
        return URI.create("http://" + Address.text(bound.getAddress().getHostAddress(), bound.getPort()) + "/");
    }

    @Override
    public void accept(RunReport report) {
        latest = report;
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            switch (exchange.getRequestURI().getPath()) {
                case "/" -> answer(exchange, 200, "text/html; charset=utf-8", HtmlReport.livePage());
                case "/report.json" -> answerReport(exchange);
                default -> answer(exchange, 404, "text/plain", "expected: / or /report.json");
            }
        }
    }

    private void answerReport(HttpExchange exchange) throws IOException {
        isWatched = true;
        RunReport report = latest;
        if (report == null) {
            answer(exchange, 503, "text/plain", "the run has not begun");
            return;
        }
        answer(exchange, 200, "application/json", Json.MAPPER.writeValueAsString(report));
        if (report.hasEnded()) {
            lastSeen.countDown();
        }
    }

    private static void answer(HttpExchange exchange, int code, String type, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(code, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    /** Ends the server; who watches gets to see the end first. */
    @Override
    public void close() {
        try {
            RunReport report = latest;
            if (isWatched && report != null && report.hasEnded()) {
                var unused = lastSeen.await(LAST_LOOK_MILLIS, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        http.stop(0);
    }
}
