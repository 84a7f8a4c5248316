package io.sluice.streaming.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;

class PeerSharesTest {
    private static final UUID PEER = new UUID(0, 1);
    private static final UUID OTHER = new UUID(0, 2);

    private final PeerShares shares = new PeerShares(new MemoryPool("inventory", 1_000));

    @Test
    void nobody_is_advised_to_wait_for_others_that_use_nothing() {
        assertThat(shares.of(PEER).tryTake(700)).isTrue();

        assertThat(shares.of(PEER).shortage(500))
                .contains("raise streaming_memory")
                .doesNotContain("wait");

        assertThat(shares.of(OTHER).tryTake(10)).isTrue();
        assertThat(shares.of(PEER).shortage(500)).contains("wait for running transfers, or raise streaming_memory");
    }
}
