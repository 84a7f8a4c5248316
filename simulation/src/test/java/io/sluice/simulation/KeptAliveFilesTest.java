package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.engine.send.Pins;
import io.sluice.streaming.progress.PlanResult;
import java.io.IOException;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Files that a source's database has replaced, and that only pins keep on its disk: half of the volume here. */
class KeptAliveFilesTest {
    private static final int ROWS = 100;
    private static final long VOLUME_BYTES = 1_000;
    private static final long TOO_MUCH_BYTES = 501;

    private static Pins.Pin pin(TwoEngines cluster) throws IOException {
        return cluster.engine(cluster.source).pins().pin(new UUID(9, 9), cluster.tables.get(0), TokenRanges.FULL);
    }

    @Test
    void let_nothing_more_be_pinned_when_they_are_too_many() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            cluster.disk(cluster.source).volumeBytes = VOLUME_BYTES;
            try (Pins.Pin held = pin(cluster)) {
                cluster.store(cluster.source).obsoleteBytes = TOO_MUCH_BYTES;
                assertThat(cluster.engine(cluster.source).pins().obsoleteBytes())
                        .isEqualTo(TOO_MUCH_BYTES);

                PlanResult refused = cluster.fetch(cluster.planOfAll());

                assertThat(refused.tables().get(0).reason())
                        .contains("LIMIT")
                        .contains(TOO_MUCH_BYTES + " bytes of obsolete files are kept only because 1 transfers")
                        .contains("50 % of the volume");
                assertThat(held.obsoleteBytes()).isEqualTo(TOO_MUCH_BYTES);
            }
            cluster.store(cluster.source).obsoleteBytes = TOO_MUCH_BYTES - 1;
            assertThat(cluster.fetch(cluster.planOfAll()).isComplete()).isTrue();
        }
    }

    @Test
    void stay_while_they_are_on_their_way() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            cluster.disk(cluster.source).volumeBytes = VOLUME_BYTES;
            cluster.execute(cluster.planOfAll());
            cluster.until(() -> cluster.sourceTables.pins() > 0);
            cluster.store(cluster.source).obsoleteBytes = TOO_MUCH_BYTES;

            assertThatThrownBy(() -> pin(cluster).close())
                    .isInstanceOf(StreamException.class)
                    .hasMessageContaining("50 % of the volume");

            assertThat(cluster.engine(cluster.source).pins().open()).isEqualTo(1);
        }
    }
}
