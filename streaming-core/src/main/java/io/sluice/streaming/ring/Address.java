package io.sluice.streaming.ring;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a node listens: host name or IP literal, and port (1 to 65535). Immutable.
 *
 * @param host without brackets also if it is an address of IPv6
 */
public record Address(String host, int port) {
    /** A colon in a host without brackets could begin the port as well. */
    private static final Pattern WRITTEN = Pattern.compile("(?:\\[([^\\[\\]]+)]|([^:\\[\\]]+)):(\\d{1,5})");

    public Address {
        host = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        if (host.isBlank() || port < 1 || port > 65_535) {
            throw new IllegalArgumentException("address: '" + host + ":" + port + "' (expected: host:port)");
        }
    }

    /**
     * Parses {@code host:port}, or {@code [host]:port} for an address of IPv6.
     *
     * @throws IllegalArgumentException if it is neither
     */
    public static Address parse(String text) {
        Matcher written = WRITTEN.matcher(text);
        if (!written.matches()) {
            throw new IllegalArgumentException(
                    "address: '" + text + "' (expected: host:port, or [host]:port for an address of IPv6)");
        }
        String host = written.group(1) == null ? written.group(2) : written.group(1);
        return new Address(host, Integer.parseInt(written.group(3)));
    }

    /** What {@link #parse} reads, of any port. */
    public static String text(String host, int port) {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }

    @Override
    public String toString() {
        return text(host, port);
    }
}
