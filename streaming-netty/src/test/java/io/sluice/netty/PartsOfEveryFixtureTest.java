package io.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.progress.SessionProgress.Offered;
import io.sluice.streaming.progress.TransferMode;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Parts of tables that real Cassandra wrote move as slices and as rows: one of each shape, all in the full suite. */
@ExtendWith(LeakCheck.class)
class PartsOfEveryFixtureTest {
    @TempDir
    Path temp;

    @ParameterizedTest
    @MethodSource("io.sluice.netty.TwoNodes#fixtureOfEachShape")
    void moves_parts_of_a_table(Path fixture) throws Exception {
        movesParts(fixture);
    }

    @ParameterizedTest
    @MethodSource("io.sluice.netty.TwoNodes#fixtures")
    @Tag("full")
    void moves_parts_of_every_table(Path fixture) throws Exception {
        movesParts(fixture);
    }

    private void movesParts(Path fixture) throws Exception {
        try (TwoNodes cluster = new TwoNodes(temp, fixture)) {
            cluster.assertMovesParts(new Random(fixture.toString().hashCode()));
        }
    }

    @ParameterizedTest
    @MethodSource("io.sluice.netty.TwoNodes#fixtureOfEachShape")
    void moves_parts_of_a_table_as_rows(Path fixture) throws Exception {
        movesPartsAsRows(fixture);
    }

    @ParameterizedTest
    @MethodSource("io.sluice.netty.TwoNodes#fixtures")
    @Tag("full")
    void moves_parts_of_every_table_as_rows(Path fixture) throws Exception {
        movesPartsAsRows(fixture);
    }

    private void movesPartsAsRows(Path fixture) throws Exception {
        StreamOptions noSlices = StreamOptions.builder().streamSlices(false).build();
        try (TwoNodes cluster = new TwoNodes(temp, fixture, noSlices)) {
            List<Offered> offered =
                    cluster.assertMovesParts(new Random(fixture.toString().hashCode()));

            assertThat(offered)
                    .allMatch(offer -> offer.mode() == TransferMode.WHOLE
                            || (offer.mode() == TransferMode.ROWS
                                    && offer.reason().contains("stream_slices is false")));
        }
    }
}
