package io.sluice.streaming.engine.send;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.runtime.SerialExecutors;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PinsTest {
    private static final UUID PLAN = new UUID(1, 1);
    private static final int TABLES = 300;

    @TempDir
    Path temp;

    private final AtomicInteger questions = new AtomicInteger();
    private long obsoleteBytes;
    private final Pins pins = new Pins(new Store(), new FileSystemDisk(), 10, new SerialExecutors(), Runnable::run);

    private static TableRef table(int number) {
        return new TableRef(new UUID(2, number), "ks", "t" + number);
    }

    @Test
    void a_session_of_many_tables_asks_for_what_its_pins_keep_only_when_it_begins() throws IOException {
        Pins.Series first = pins.series(PLAN);
        for (int i = 0; i < TABLES; i++) {
            first.pin(table(i), TokenRanges.FULL);
        }
        Pins.Series second = pins.series(PLAN);
        for (int i = 0; i < TABLES; i++) {
            second.pin(table(i), TokenRanges.FULL);
        }

        assertThat(pins.open()).isEqualTo(2 * TABLES);
        assertThat(questions).hasValue(TABLES);
    }

    @Test
    void a_session_that_is_refused_asks_once_more_however_many_tables_it_wants() throws IOException {
        pins.pin(PLAN, table(0), TokenRanges.FULL);
        obsoleteBytes = Long.MAX_VALUE;
        Pins.Series refused = pins.series(PLAN);

        for (int i = 0; i < TABLES; i++) {
            TableRef next = table(i);
            assertThatThrownBy(() -> refused.pin(next, TokenRanges.FULL)).hasMessageContaining("are kept only because");
        }

        assertThat(questions).hasValue(2);
    }

    /** Counts how often it is asked what a pin keeps. */
    private final class Store implements TableStore {
        @Override
        public Optional<TableRef> table(UUID tableId) {
            return Optional.empty();
        }

        @Override
        public PinnedTable pin(UUID planId, TableRef table, TokenRanges ranges) {
            return new PinnedTable() {
                @Override
                public TableRef table() {
                    return table;
                }

                @Override
                public List<Path> sstables() {
                    return List.of();
                }

                @Override
                public long obsoleteBytes() {
                    questions.incrementAndGet();
                    return obsoleteBytes;
                }

                @Override
                public void close() {
                    // it holds nothing
                }
            };
        }

        @Override
        public Path liveDirectory(TableRef table) {
            return temp;
        }

        @Override
        public Path stagingDirectory() {
            return temp;
        }

        @Override
        public String newId(TableRef table) {
            throw new AssertionError("nothing is received");
        }

        @Override
        public void activate(UUID installId, TableRef table, List<Path> dataFiles) {
            throw new AssertionError("nothing is received");
        }
    }
}
