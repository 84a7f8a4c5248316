package io.sluice.netty;

import io.netty.handler.ssl.OpenSsl;
import io.netty.util.Version;
import io.sluice.streaming.progress.PlanResult;
import java.nio.file.Path;

/**
 * Moves a table between two nodes, in plain text and encrypted, in a process with a Netty of the test's choice.
 * Arguments: a folder for both, the folder of the certificates of {@code source} and {@code target}. Prints the version
 * of Netty and what carried the bytes; or why a node does not start.
 */
final class TransferProcess {
    private static final Path FIXTURE =
            TwoNodes.FIXTURES.resolve("multi_sstable").resolve("nb");

    private TransferProcess() {}

    public static void main(String[] arguments) throws Exception {
        Path temp = Path.of(arguments[0]);
        Path certificates = Path.of(arguments[1]);
        StreamOptions plain = StreamOptions.builder().connectionsPerHost(2).build();
        try {
            transfer(temp.resolve("plain"), plain, plain);
            transfer(temp.resolve("tls"), encrypted(certificates, "source"), encrypted(certificates, "target"));
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
    }

    private static StreamOptions encrypted(Path certificates, String node) {
        return StreamOptions.builder()
                .tls(new TlsFiles(
                        certificates.resolve(node + ".crt"),
                        certificates.resolve(node + ".key"),
                        certificates.resolve("trust.crt"),
                        true))
                .build();
    }

    private static String encryption(StreamOptions options) {
        if (options.tls().isEmpty()) {
            return "plain";
        }
        return OpenSsl.isAvailable() ? "BoringSSL" : "JDK";
    }

    private static void transfer(Path folder, StreamOptions source, StreamOptions target) throws Exception {
        try (TwoNodes nodes = new TwoNodes(folder, FIXTURE, source, target)) {
            PlanResult result = nodes.fetchAll();
            if (!result.isComplete()) {
                throw new AssertionError(result.tables());
            }
            nodes.assertTargetEqualsSource();
            nodes.assertNothingIsLeftBehind();
            System.out.println(Version.class.getPackage().getImplementationVersion() + " " + nodes.target.transport()
                    + " " + encryption(target));
        }
    }
}
