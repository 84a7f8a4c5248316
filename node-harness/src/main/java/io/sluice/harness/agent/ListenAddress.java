package io.sluice.harness.agent;

import io.sluice.harness.config.ConfigException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Addresses of a node as numbers, since the ring has nothing else: a host name, or a network interface, becomes the
 * address that the node itself takes. Stateless.
 */
final class ListenAddress {
    private ListenAddress() {}

    /**
     * The first address of a host name; a literal address stays as it is.
     *
     * @param where file and key, for the error
     * @throws ConfigException if it cannot be resolved
     */
    static String ofHost(String where, String host) {
        try {
            return InetAddress.getByName(host).getHostAddress();
        } catch (UnknownHostException e) {
            throw new ConfigException(
                    where + ": cannot resolve '" + host + "' (expected: an address of the node, or a host name that"
                            + " this machine resolves to it; see getent hosts " + host + ")",
                    e);
        }
    }

    /**
     * The address of a network interface.
     *
     * @param where file and key, for the error
     * @param prefersIpv6 which one is taken if it has both kinds
     * @throws ConfigException if there is no such interface, or it has no address
     */
    static String ofInterface(String where, String name, boolean prefersIpv6) {
        try {
            NetworkInterface found = NetworkInterface.getByName(name);
            if (found == null) {
                throw new ConfigException(where + ": no network interface '" + name
                        + "' (expected: one of this machine; see ip address)");
            }
            return choose(Collections.list(found.getInetAddresses()), prefersIpv6)
                    .map(ListenAddress::withoutScope)
                    .orElseThrow(() -> new ConfigException(where + ": network interface '" + name
                            + "' has no address (expected: one; see ip address show " + name + ")"));
        } catch (SocketException e) {
            throw new ConfigException(where + ": cannot look at network interface '" + name + "': " + e, e);
        }
    }

    /** The first one of the preferred kind, else the first one. */
    static Optional<InetAddress> choose(List<InetAddress> addresses, boolean prefersIpv6) {
        return addresses.stream()
                .filter(address -> address instanceof Inet4Address != prefersIpv6)
                .findFirst()
                .or(() -> addresses.stream().findFirst());
    }

    /** Java names the interface behind an address of IPv6: {@code fe80::1%eth0}. */
    private static String withoutScope(InetAddress address) {
        String text = address.getHostAddress();
        int scope = text.indexOf('%');
        return scope < 0 ? text : text.substring(0, scope);
    }
}
