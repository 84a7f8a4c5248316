package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.netty.metrics.StreamMeters;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.progress.StreamActivity.VolumeSample;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A node on two data volumes, of which one cannot be used: who embeds it, or watches it, is told of each. */
@ExtendWith(LeakCheck.class)
class VolumesTest {
    private static final TableRef TABLE = TestTables.table(0);

    @TempDir
    Path temp;

    private TableStore store;

    /** Of the second there is only a file where its folder should be. */
    @BeforeEach
    void lose_the_second_volume() throws IOException {
        Files.createDirectories(temp.resolve("a/live"));
        Files.createFile(temp.resolve("b"));
        store = new TwoVolumes();
    }

    private final class TwoVolumes implements TableStore {
        @Override
        public Optional<TableRef> table(UUID tableId) {
            return Optional.of(TABLE);
        }

        @Override
        public PinnedTable pin(UUID planId, TableRef table, TokenRanges ranges) {
            return new PinnedTable() {
                @Override
                public TableRef table() {
                    return TABLE;
                }

                @Override
                public List<Path> sstables() {
                    return List.of();
                }

                @Override
                public void close() {
                    // nothing was linked
                }
            };
        }

        @Override
        public List<Volume> volumes() {
            return List.of(new Volume(staging("a")), new Volume(staging("b")));
        }

        @Override
        public Path stagingDirectory() {
            return staging("a");
        }

        @Override
        public Path liveDirectory(TableRef table) {
            return temp.resolve("a/live");
        }

        @Override
        public Path liveDirectory(TableRef table, Volume volume) {
            return volume.stagingDirectory().resolveSibling("live");
        }

        @Override
        public String newId(TableRef table) {
            return "1";
        }

        @Override
        public void activate(UUID installId, TableRef table, List<Path> dataFiles) {
            throw new AssertionError("nothing is received");
        }
    }

    private Path staging(String volume) {
        return temp.resolve(volume).resolve("staging");
    }

    private StreamingNode start() throws IOException {
        return StreamingNode.start(
                TestTables.node("alone"), StreamOptions.builder().build(), store);
    }

    @Test
    void each_volume_says_its_room_or_why_it_has_failed() throws Exception {
        try (StreamingNode node = start()) {
            await().until(() -> node.volumes().get(0).freeBytes() > 0);

            List<VolumeSample> volumes = node.volumes();

            assertThat(volumes).extracting(VolumeSample::directory).containsExactly(staging("a"), staging("b"));
            assertThat(volumes.get(0).failure()).isEmpty();
            assertThat(volumes.get(0).headroomBytes()).isGreaterThanOrEqualTo(256L << 20);
            assertThat(volumes.get(1).failure().orElseThrow())
                    .contains(staging("b").toString());
            assertThat(volumes.get(1).freeBytes()).isZero();
            assertThat(node.untrustedReason()).as("there is another one").isEmpty();
        }
    }

    @Test
    void each_volume_has_its_meters() throws Exception {
        try (StreamingNode node = start()) {
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            new StreamMeters(node, Tags.empty()).bindTo(registry);
            await().until(() -> value(registry, "free", "a") > 0);

            assertThat(value(registry, "failed", "a")).isZero();
            assertThat(value(registry, "failed", "b")).isOne();
            assertThat(value(registry, "free", "b")).isZero();
            assertThat(value(registry, "reserved", "a")).isZero();
            assertThat(value(registry, "headroom", "a")).isPositive();
            assertThat(value(registry, "operations", "b")).isZero();
        }
    }

    private double value(SimpleMeterRegistry registry, String name, String volume) {
        return registry.get("sluice.volume." + name)
                .tag("volume", staging(volume).toString())
                .gauge()
                .value();
    }

    @Test
    void a_node_goes_on_sending_what_lies_on_the_other_volume() throws Exception {
        try (StreamingNode node = start();
                var pin = node.pins().pin(new UUID(1, 1), TABLE, TokenRanges.FULL)) {
            assertThat(pin.table()).isEqualTo(TABLE);
        }
    }
}
