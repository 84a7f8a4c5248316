package io.sluice.harness.http;

import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** The open connections of an endpoint, oldest first, with a limit. Not thread-safe: confined to its event loop. */
final class Connections {
    private final int limit;
    private final Set<HttpConnection> open = new LinkedHashSet<>();

    Connections(int limit) {
        this.limit = limit;
    }

    /**
     * Adds a connection. Above the limit, closes the oldest that has not sent a request with the token, otherwise the
     * oldest idle one, otherwise the new one.
     */
    void opened(HttpConnection connection) {
        open.add(connection);
        if (open.size() > limit) {
            oldest(one -> !one.hasAsked())
                    .or(() -> oldest(one -> !one.isBusy()))
                    .orElse(connection)
                    .close();
        }
    }

    void closed(HttpConnection connection) {
        open.remove(connection);
    }

    private Optional<HttpConnection> oldest(Predicate<HttpConnection> which) {
        return open.stream().filter(which).findFirst();
    }
}
