package io.sluice.bench.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.channel.epoll.Epoll;
import io.sluice.harness.security.TrialAuthority;
import io.sluice.netty.TlsFiles;
import io.sluice.netty.security.Tls;
import io.sluice.tools.FreePort;
import io.sluice.tools.Relay;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsPeerTest {
    private static final int CONNECTIONS = 3;
    private static final int BYTES = 3_000_001;

    @TempDir
    private Path pem = Path.of("");

    private Tls tls() throws Exception {
        new TrialAuthority(pem).issue("peer", "127.0.0.1", new UUID(1, 1));
        return Tls.of(new TlsFiles(pem.resolve("peer.crt"), pem.resolve("peer.key"), pem.resolve("trust.crt"), true));
    }

    @Test
    void it_moves_equal_parts_over_all_its_connections() throws Exception {
        assumeThat(Epoll.isAvailable()).isTrue();
        Tls tls = tls();
        int port = FreePort.onLoopback();
        AtomicIntegerArray received = new AtomicIntegerArray(CONNECTIONS);
        Relay.Rule counts = (way, from, to) -> {
            byte[] piece = new byte[1 << 16];
            for (int n = from.getInputStream().read(piece);
                    n >= 0;
                    n = from.getInputStream().read(piece)) {
                if (!way.isToTarget()) {
                    received.addAndGet(way.connection(), n);
                }
                to.getOutputStream().write(piece, 0, n);
            }
        };
        try (TlsPeer sender = new TlsPeer(tls, CONNECTIONS);
                TlsPeer receiver = new TlsPeer(tls, CONNECTIONS);
                Relay relay = Relay.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), counts)) {
            sender.listen(port);

            receiver.receive(relay.address().getPort(), BYTES);

            assertThat(relay.connections()).isEqualTo(CONNECTIONS);
            for (int connection = 0; connection < CONNECTIONS; connection++) {
                assertThat(received.get(connection)).isBetween(BYTES / CONNECTIONS, BYTES / 2); // and records of TLS
            }
        }
    }
}
