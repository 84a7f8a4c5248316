package io.sluice.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A temporary folder and free ports. Stateless. */
public final class Scratch {
    private Scratch() {}

    /** A new empty folder: below {@code sluice.bench.target}, else the system's temporary folder. */
    public static Path directory() throws IOException {
        String target = System.getProperty("sluice.bench.target", System.getProperty("java.io.tmpdir"));
        return Files.createTempDirectory(Path.of(target), "sluice-bench");
    }

    /** Removes a folder and all in it. */
    public static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    /** A port of the loopback address that nobody listens on now. */
    public static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
