package io.sluice.harness.content;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.data.SliceWriter;
import io.sluice.sstable.token.TokenRange;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoredDigestTest {
    private static final Path FIXTURES =
            Path.of("..", "sstable-format", "src", "test", "resources", "fixtures", "multi_sstable");
    /** The ring in three ranges, one of which goes past the highest token. */
    private static final List<TokenRange> RANGES = List.of(
            TokenRange.of(-5_000_000_000_000_000_000L, 0),
            TokenRange.of(0, 5_000_000_000_000_000_000L),
            TokenRange.of(5_000_000_000_000_000_000L, -5_000_000_000_000_000_000L));

    @TempDir
    private Path temporary = Path.of("");

    private TableFiles whole;

    @BeforeEach
    void open() throws IOException {
        whole = TableFiles.openAll(FIXTURES.resolve("nb")).get(0);
    }

    @Test
    void slices_store_what_the_whole_files_store() throws IOException {
        List<SSTable> slices = new ArrayList<>();
        int id = 0;
        for (SSTable sstable : whole.sstables()) {
            for (TokenRange range : RANGES) {
                Descriptor name = new Descriptor(sstable.descriptor().version(), new SSTableId.Sequence(++id));
                if (SliceWriter.write(sstable, range, temporary, name).isPresent()) {
                    slices.add(SSTable.open(temporary, name));
                }
            }
        }

        assertThat(slices).hasSizeGreaterThan(whole.sstables().size());
        for (TokenRange range : RANGES) {
            assertThat(StoredDigest.of(slices, range)).isEqualTo(whole.stored(range));
        }
    }

    @Test
    void a_missing_sstable_shows_in_the_ranges_that_it_is_in() throws IOException {
        List<SSTable> some = whole.sstables().subList(1, whole.sstables().size());

        assertThat(RANGES)
                .allSatisfy(range -> assertThat(StoredDigest.of(some, range)).isNotEqualTo(whole.stored(range)));
    }

    /** The same rows, and yet nobody can say so who does not decode them. */
    @Test
    void another_format_is_stored_otherwise() throws IOException {
        TableFiles other = TableFiles.openAll(FIXTURES.resolve("oa")).get(0);

        assertThat(other.stored(RANGES.get(0))).isNotEqualTo(whole.stored(RANGES.get(0)));
    }

    @Test
    void ranges_without_partitions_are_stored_alike() throws IOException {
        TokenRange empty = TokenRange.of(1, 2);

        assertThat(whole.stored(empty)).isEqualTo(StoredDigest.of(List.of(), empty));
    }
}
