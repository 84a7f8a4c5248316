package io.sluice.harness.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.harness.config.ConfigException;
import io.sluice.harness.plan.RequestedChange.Kind;
import io.sluice.harness.scenario.GeneratedData;
import io.sluice.harness.scenario.WorkDirectory;
import io.sluice.sstable.token.TokenRange;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.transfer.ModeSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the production planner and chooser make of rings and compaction strategies; docs/modes.md has the table. */
class EligibilityTest {
    private static final Path PAGE = Path.of("../docs/modes.md");
    private static final int NODES = 6;

    @TempDir
    Path folder;

    /** Six nodes in three racks, replication factor 3, and a seventh that may join. */
    private RingFile ring(String compaction, int vnodes) throws IOException {
        StringBuilder yaml = new StringBuilder("nodes:\n");
        for (int i = 1; i <= NODES + 1; i++) {
            yaml.append(String.format(
                    Locale.ROOT,
                    "  - {name: n%d, rack: r%d, vnodes: %d%s}%n",
                    i,
                    i % 3,
                    vnodes,
                    i > NODES ? ", state: joining" : ""));
        }
        yaml.append("keyspaces:\n  - name: ks\n    replication: {datacenter1: 3}\n    tables:\n");
        yaml.append("      - {name: t, size: 1TiB, compaction: ")
                .append(compaction)
                .append("}\n");
        return RingFile.read(Files.writeString(folder.resolve("ring.yaml"), yaml));
    }

    private static List<ModeForecast.ForecastTransfer> modes(RingFile ring, Kind kind) throws IOException {
        String node = kind == Kind.BOOTSTRAP ? "n7" : "n3";
        var nobody = new RequestedChange.From(List.of(), List.of(), List.of());
        RequestedChange asked = new RequestedChange(
                kind, Optional.of(node), Optional.empty(), false, List.of(), Optional.empty(), nobody);
        return RequestedChange.modes(asked.plan(ring), ring, StoredSSTables.NONE, ModeSettings.DEFAULTS);
    }

    private static String percent(List<ModeForecast.ForecastTransfer> shares, TransferMode mode) {
        long all =
                shares.stream().mapToLong(ModeForecast.ForecastTransfer::bytes).sum();
        return String.format(Locale.ROOT, "%.1f %%", 100.0 * ModeForecast.bytes(shares, mode) / all);
    }

    private static int arriving(List<ModeForecast.ForecastTransfer> shares) {
        return shares.stream().mapToInt(ModeForecast.ForecastTransfer::sstables).sum();
    }

    private List<String> lines() throws IOException {
        List<String> lines = new ArrayList<>();
        for (String compaction : List.of("size_tiered", "leveled")) {
            for (int vnodes : List.of(1, 16, 256)) {
                for (Kind kind : List.of(Kind.BOOTSTRAP, Kind.REPLACE, Kind.DECOMMISSION, Kind.REBUILD)) {
                    List<ModeForecast.ForecastTransfer> shares = modes(ring(compaction, vnodes), kind);
                    lines.add(String.format(
                            Locale.ROOT,
                            "| %s | %d | %s | %s | %s | %s | %,d |",
                            compaction.replace('_', '-'),
                            vnodes,
                            kind.name().toLowerCase(Locale.ROOT),
                            percent(shares, TransferMode.WHOLE),
                            percent(shares, TransferMode.SLICE),
                            percent(shares, TransferMode.ROWS),
                            arriving(shares)));
                }
            }
        }
        return lines;
    }

    @Test
    void the_page_has_the_table() throws IOException {
        assertThat(Files.readString(PAGE)).contains(String.join("\n", lines()));
    }

    @Test
    void nearly_all_bytes_of_a_node_that_joins_a_size_tiered_cluster_of_256_vnodes_stay_encoded() throws IOException {
        List<ModeForecast.ForecastTransfer> shares = modes(ring("size_tiered", 256), Kind.BOOTSTRAP);

        assertThat(shares).isNotEmpty();
        assertThat(ModeForecast.undecoded(shares)).isGreaterThan(0.95);
    }

    @Test
    void everything_goes_as_rows_where_files_and_slices_are_switched_off() throws IOException {
        RingFile ring = ring("leveled", 16);
        var nobody = new RequestedChange.From(List.of(), List.of(), List.of());
        RequestedChange asked = new RequestedChange(
                Kind.REPLACE, Optional.of("n3"), Optional.empty(), false, List.of(), Optional.empty(), nobody);

        List<ModeForecast.ForecastTransfer> shares =
                RequestedChange.modes(asked.plan(ring), ring, StoredSSTables.NONE, new ModeSettings(false, false));

        assertThat(shares).isNotEmpty().allMatch(share -> share.mode() == TransferMode.ROWS);
        assertThat(ModeForecast.undecoded(shares)).isZero();
    }

    @Test
    void files_that_can_be_looked_at_are_decided_on_as_they_lie() throws Exception {
        GeneratedData data;
        try (WorkDirectory work = WorkDirectory.open(folder.resolve("work"))) {
            data = GeneratedData.of(work, 2 << 20, List.of(TokenRange.FULL));
            data.generate();
        }
        RingFile ring = RingFile.read(Files.writeString(folder.resolve("held.yaml"), """
                nodes:
                  - {name: a, tokens: [-9223372036854775807]}
                  - {name: b, tokens: [0], state: joining}
                keyspaces:
                  - name: bench
                    replication: {datacenter1: 1}
                    tables:
                      - {name: users, size: 1TiB}
                """));
        var nobody = new RequestedChange.From(List.of(), List.of(), List.of());
        RequestedChange asked = new RequestedChange(
                Kind.BOOTSTRAP, Optional.of("b"), Optional.empty(), false, List.of(), Optional.empty(), nobody);
        var held = new StoredSSTables(Map.of("a", data.directory()));

        List<ModeForecast.ForecastTransfer> shares =
                RequestedChange.modes(asked.plan(ring), ring, held, ModeSettings.DEFAULTS);

        assertThat(shares).extracting(ModeForecast.ForecastTransfer::source).containsOnly("a");
        assertThat(shares.stream()
                        .mapToLong(ModeForecast.ForecastTransfer::bytes)
                        .sum())
                .as("half of 2 MiB, not of the 1 TiB that the ring file tells of")
                .isBetween(900_000L, 1_200_000L);
        assertThat(shares).extracting(ModeForecast.ForecastTransfer::mode).contains(TransferMode.WHOLE);
    }

    @Test
    void a_data_directory_without_the_table_is_refused() throws IOException {
        RingFile ring = ring("leveled", 1);
        var nobody = new RequestedChange.From(List.of(), List.of(), List.of());
        RequestedChange asked = new RequestedChange(
                Kind.REPLACE, Optional.of("n3"), Optional.empty(), false, List.of(), Optional.empty(), nobody);
        var held = new StoredSSTables(Map.of("n1", folder, "n2", folder, "n4", folder));

        assertThatThrownBy(() -> RequestedChange.modes(asked.plan(ring), ring, held, ModeSettings.DEFAULTS))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(folder + ": no table ks.t (expected: a folder ks/t-<id>)");
    }
}
