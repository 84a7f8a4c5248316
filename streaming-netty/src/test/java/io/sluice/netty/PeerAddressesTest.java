package io.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class PeerAddressesTest {
    @Test
    void those_known_before_count_on_when_the_database_fails_with_an_error() {
        AtomicBoolean isBroken = new AtomicBoolean();
        Supplier<Collection<String>> peers = () -> {
            if (isBroken.get()) {
                throw new AssertionError("injected");
            }
            return List.of("127.0.0.7");
        };
        PeerAddresses addresses = new PeerAddresses(peers);
        addresses.refresh();
        isBroken.set(true);

        addresses.refresh();

        assertThat(addresses.contains("127.0.0.7")).isTrue();
        assertThat(addresses.contains("127.0.0.8")).isFalse();
    }

    @Test
    void those_of_a_name_count_on_while_it_cannot_be_resolved_and_one_line_says_so() throws Exception {
        Map<String, String> names = new HashMap<>(Map.of("one", "10.0.0.1", "two", "10.0.0.2"));
        PeerAddresses addresses = new PeerAddresses(() -> List.of("one", "two", "never"), host -> {
            String ip = names.get(host);
            if (ip == null) {
                throw new UnknownHostException(host);
            }
            return new InetAddress[] {InetAddress.getByName(ip)};
        });
        addresses.refresh();
        names.remove("one");
        names.put("two", "10.0.0.3");

        try (LogCapture log = new LogCapture()) {
            addresses.refresh();
            addresses.refresh();

            assertThat(log.with("WARN"))
                    .singleElement()
                    .asString()
                    .contains("[never, one]")
                    .contains("last known addresses");
        }
        assertThat(addresses.contains("10.0.0.1")).isTrue();
        assertThat(addresses.contains("10.0.0.2")).isFalse();
        assertThat(addresses.contains("10.0.0.3")).isTrue();
    }

    @Test
    void those_of_a_peer_that_is_not_listed_any_more_are_forgotten() {
        AtomicReference<Collection<String>> peers = new AtomicReference<>(List.of("127.0.0.7"));
        PeerAddresses addresses = new PeerAddresses(peers::get);
        addresses.refresh();
        peers.set(List.of());

        addresses.refresh();

        assertThat(addresses.contains("127.0.0.7")).isFalse();
    }
}
