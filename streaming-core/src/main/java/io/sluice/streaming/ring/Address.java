package io.sluice.streaming.ring;

/** Where a node listens: host name or IP literal, and port (1 to 65535). Immutable. */
public record Address(String host, int port) {
    public Address {
        if (host.isBlank() || port < 1 || port > 65_535) {
            throw new IllegalArgumentException("address: '" + host + ":" + port + "' (expected: host:port)");
        }
    }

    /** Parses {@code host:port}. */
    public static Address parse(String text) {
        int colon = text.lastIndexOf(':');
        try {
            return new Address(text.substring(0, Math.max(colon, 0)), Integer.parseInt(text.substring(colon + 1)));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("address: '" + text + "' (expected: host:port)", e);
        }
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
