package io.sluice.harness.config;

import com.google.common.net.HostAndPort;
import com.google.common.net.InetAddresses;

/**
 * Addresses as people write them, with a port or without: {@code host}, {@code host:port}, and of IPv6
 * {@code [address]}, {@code [address]:port}, or the address alone, of which no colon begins a port. Stateless.
 */
public final class AddressText {
    private AddressText() {}

    /**
     * Reads one; its host has no brackets.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static HostAndPort parse(String text) {
        HostAndPort written = HostAndPort.fromString(text.strip());
        String host = written.getHost();
        boolean isHost = host.indexOf(':') < 0 ? !host.isEmpty() : InetAddresses.isInetAddress(host);
        // A colon without a port behind it is none to Guava.
        if (!isHost || (!written.hasPort() && text.strip().endsWith(":") && !host.endsWith(":"))) {
            throw new IllegalArgumentException("'" + text + "' (expected: host or host:port)");
        }
        return written;
    }

    /** As the ring calls a node: an address of IPv6 in full and in brackets, with its port if {@code text} has one. */
    public static String inRing(String text) {
        HostAndPort written = parse(text);
        String host = written.getHost();
        String called = host.indexOf(':') < 0
                ? host
                : "[" + InetAddresses.forString(host).getHostAddress() + "]";
        return written.hasPort() ? called + ":" + written.getPort() : called;
    }
}
