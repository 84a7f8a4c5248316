package io.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress.Offered;
import io.sluice.streaming.progress.TransferMode;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tables that real Cassandra wrote move whole, as files and as rows: one of each shape, and all of them in the full
 * suite.
 */
@ExtendWith(LeakCheck.class)
class EveryFixtureTest {
    @TempDir
    Path temp;

    @ParameterizedTest
    @MethodSource("io.sluice.netty.TwoNodes#fixtureOfEachShape")
    void moves_every_file_of_a_table_unchanged(Path fixture) throws Exception {
        movesWhole(fixture);
    }

    @ParameterizedTest
    @MethodSource("io.sluice.netty.TwoNodes#fixtures")
    @Tag("full")
    void moves_every_file_of_every_table_unchanged(Path fixture) throws Exception {
        movesWhole(fixture);
    }

    private void movesWhole(Path fixture) throws Exception {
        try (TwoNodes cluster = new TwoNodes(temp, fixture)) {
            PlanResult result = cluster.fetchAll();

            assertThat(result.tables()).allMatch(PlanResult.TableResult::installed, "installed");
            cluster.assertTargetEqualsSource();
            cluster.assertNothingIsLeftBehind();
        }
    }

    @ParameterizedTest
    @MethodSource("io.sluice.netty.TwoNodes#fixtureOfEachShape")
    void moves_a_table_as_rows_if_the_database_asks_for_them(Path fixture) throws Exception {
        movesAsRows(fixture);
    }

    @ParameterizedTest
    @MethodSource("io.sluice.netty.TwoNodes#fixtures")
    @Tag("full")
    void moves_every_table_as_rows_if_the_database_asks_for_them(Path fixture) throws Exception {
        movesAsRows(fixture);
    }

    private void movesAsRows(Path fixture) throws Exception {
        try (TwoNodes cluster = new TwoNodes(temp, fixture)) {
            cluster.sourceStore.onlyRows = "there is a view on it";

            List<Offered> offered = cluster.assertMoves(TokenRanges.FULL);

            assertThat(offered)
                    .hasSameSizeAs(cluster.sourceSSTables())
                    .allMatch(offer -> offer.mode() == TransferMode.ROWS)
                    .allMatch(offer -> offer.reason().contains("there is a view on it"));
        }
    }
}
