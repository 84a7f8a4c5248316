package io.sluice.streaming.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SSTableOffersTest {
    /** As much room as wanted. */
    private static final SSTableOffers.Room ROOM = new SSTableOffers.Room() {
        @Override
        public void reserve(long lengthBytes) {}

        @Override
        public void release(long lengthBytes) {}
    };

    private static final TableRef TABLE = new TableRef(new UUID(3, 3), "ks", "t");
    private static final TokenRanges HALF = TokenRanges.of(TokenRange.of(Long.MIN_VALUE, 0));

    @TempDir
    Path temp;

    /** An SSTable that lists {@code component} in its TOC.txt. */
    private SSTable sourceWith(String component) throws IOException {
        var written = new DataSetWriter(new DataSet(3, 500, 5, 40), Version.NB, WriterOptions.DEFAULTS).write(temp, 1);
        SSTable plain = SSTable.open(temp, written.get(0));
        Files.writeString(plain.path(Component.TOC), component + "\n", StandardOpenOption.APPEND);
        return SSTable.open(temp, written.get(0));
    }

    @ParameterizedTest
    @CsvSource({
        "SAI+aa+GroupComplete.db, true, true",
        "SAI+aa+GroupComplete.db, false, true",
        "SAI+aa+GroupComplete.db, false, false",
        "SI_users_by_name.db, true, true"
    })
    void a_table_with_indexes_whose_files_do_not_travel_is_refused_in_every_mode(
            String index, boolean isAll, boolean slices) throws IOException {
        SSTable source = sourceWith(index);
        SSTableOffers offers =
                new SSTableOffers(temp.resolve("offers"), ROOM, new ModeSettings(true, slices), Runnable::run);
        TokenRanges wanted = isAll ? TokenRanges.FULL : HALF;

        assertThatThrownBy(() -> offers.add(new Pinned(TABLE, List.of(source)), wanted))
                .isInstanceOfSatisfying(
                        StreamException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_WHOLE))
                .hasMessageContaining(index)
                .hasMessageContaining("Drop the indexes, stream, and create them again");
        assertThat(offers.offers()).isEmpty();
    }

    private record Pinned(TableRef table, List<SSTable> sstables) implements PinnedTable {
        @Override
        public void close() {
            // Nothing is held.
        }
    }
}
