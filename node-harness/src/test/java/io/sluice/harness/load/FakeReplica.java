package io.sluice.harness.load;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.admin.Refusal;
import io.sluice.harness.json.Json;
import io.sluice.harness.load.LoadTable.Write;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A replica in memory, which refuses when it is asked to. */
final class FakeReplica implements AutoCloseable {
    private final HttpServer http;
    final Node node;
    final Map<String, Write> rows = new ConcurrentHashMap<>();
    final List<AdminRequests.TakePart> told = new CopyOnWriteArrayList<>();
    volatile boolean refuses;
    /** Requests that it has refused. */
    final AtomicInteger refused = new AtomicInteger();

    FakeReplica(int number) throws IOException {
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.createContext("/", this::serve);
        http.start();
        Address address = new Address("127.0.0.1", http.getAddress().getPort());
        node = new Node(UUID.randomUUID(), "node" + number, address, List.of(new Token(number)));
    }

    AdminClient client() {
        return new AdminClient(node.name(), node.address(), new AdminToken("0".repeat(64)));
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            boolean isRefused = refuses;
            if (isRefused) {
                refused.incrementAndGet();
            }
            Object answer = isRefused
                    ? new Refusal("told to refuse")
                    : answer(exchange.getRequestURI().getPath(), body);
            byte[] json = Json.MAPPER.writeValueAsBytes(answer);
            exchange.sendResponseHeaders(isRefused ? 500 : 200, json.length);
            exchange.getResponseBody().write(json);
        }
    }

    private Object answer(String path, byte[] body) throws IOException {
        if (path.equals("/write")) {
            AdminRequests.Write order = Json.MAPPER.readValue(body, AdminRequests.Write.class);
            Bytes mutations = Bytes.wrap(Base64.getDecoder().decode(order.mutations()));
            for (var mutation : LoadTable.CODEC.readAll(mutations)) {
                Write.of(mutation)
                        .ifPresent(write -> rows.merge(
                                write.key(), write, (a, b) -> a.timestampMicros() > b.timestampMicros() ? a : b));
            }
            return "written";
        }
        if (path.equals("/take-part")) {
            told.add(Json.MAPPER.readValue(body, AdminRequests.TakePart.class));
            return "noted";
        }
        AdminRequests.Read order = Json.MAPPER.readValue(body, AdminRequests.Read.class);
        var found = order.keys().stream()
                .flatMap(key -> Stream.ofNullable(rows.get(key)))
                .map(Write::toMutation)
                .toList();
        return new AdminRequests.Found(Base64.getEncoder()
                .encodeToString(LoadTable.CODEC.writeAll(found).toArray()));
    }

    @Override
    public void close() {
        http.stop(0);
    }
}
