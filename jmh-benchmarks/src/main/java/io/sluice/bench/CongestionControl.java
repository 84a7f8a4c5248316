package io.sluice.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The congestion control that the kernel gives to sockets that ask for none, as those of Java: what is compared with
 * them must have the same.
 *
 * @param name of the algorithm, as {@code cubic}; empty where it is not known
 */
public record CongestionControl(Optional<String> name) {
    private static final Path DEFAULT = Path.of("/proc/sys/net/ipv4/tcp_congestion_control");
    private static final String UNPACED = "cubic";

    /** The default of this system. */
    public static CongestionControl ofSystem() throws IOException {
        return new CongestionControl(
                Files.isReadable(DEFAULT)
                        ? Optional.of(Files.readString(DEFAULT, StandardCharsets.US_ASCII)
                                .strip())
                        : Optional.empty());
    }

    /** What people should know who measure on loopback; empty if there is nothing. */
    public Optional<String> warning() {
        return name.filter(other -> !other.equals(UNPACED))
                .map(other -> "The kernel's congestion control is " + other + ", in all modes, and may pace loopback;"
                        + " without: sudo sysctl -w net.ipv4.tcp_congestion_control=" + UNPACED);
    }

    @Override
    public String toString() {
        return name.orElse("unknown");
    }
}
