package io.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
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
}
