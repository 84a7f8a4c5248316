package io.sluice.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.sluice.sstable.Fixture;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.Verification;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.component.SSTableFormat;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.index.PartitionEntry;
import io.sluice.sstable.index.RowsReader;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.index.TrieCursor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BlockIndexCheckTest {
    /** Every so many bytes one is flipped: all fixtures together then get some 1,000 trials. */
    private static final int STEP = 7;

    @TempDir
    Path directory;

    static Stream<Fixture> wide() {
        return Stream.of("wide", "wide_lz4").flatMap(Fixture::of);
    }

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#all")
    void finds_nothing_wrong_with_what_the_reference_wrote(Fixture fixture) {
        assertThatCode(() -> BlockIndexCheck.check(fixture.open())).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @MethodSource("wide")
    void finds_every_flipped_byte_of_a_block_index_that_leads_astray(Fixture fixture) throws IOException {
        SSTable copy = fixture.copyTo(directory);
        boolean isBig = copy.descriptor().version().format() == SSTableFormat.BIG;
        Path file = copy.path(isBig ? Component.INDEX : Component.ROWS);
        byte[] bytes = Files.readAllBytes(file);
        int found = 0;
        int tried = 0;
        for (int i = 0; i < bytes.length; i += STEP) {
            for (int flip : new int[] {0x01, 0x15, 0x80}) {
                byte[] flipped = bytes.clone();
                flipped[i] ^= (byte) flip;
                Files.write(file, flipped);
                tried++;
                if (isFound(copy)) {
                    found++;
                } else if (isBig) {
                    assertThat(Verification.verify(copy).problems())
                            .as("byte %d of %s, flipped by %d", i, file, flip)
                            .isNotEmpty();
                } else {
                    requireRight(copy, "byte " + i + " of " + file + ", flipped by " + flip);
                }
            }
        }
        assertThat(found).isGreaterThan(tried / 2);
    }

    private static boolean isFound(SSTable sstable) throws IOException {
        try {
            BlockIndexCheck.check(sstable);
            return false;
        } catch (SSTableException damaged) {
            assertThat(damaged).hasMessageContaining("(expected: ");
            return true;
        }
    }

    private record Block(Bytes separator, long offset) {}

    /** Whoever looks for a row in the tries of {@code sstable} still comes to the block that it is in. */
    private static void requireRight(SSTable sstable, String what) throws IOException {
        SerializationHeader header =
                SerializationHeader.parse(sstable.statistics().header());
        var comparable = new ComparableClustering(header.clusteringTypes());
        try (TrieCursor partitions = TrieCursor.takeOver(
                        sstable.path(Component.PARTITIONS), sstable.path(Component.ROWS), sstable.openData());
                RowsReader reader = RowsReader.open(sstable.path(Component.ROWS))) {
            for (Optional<PartitionEntry> next = partitions.next(); next.isPresent(); next = partitions.next()) {
                if (partitions.rowsPosition().isEmpty()) {
                    continue;
                }
                List<Block> blocks = new ArrayList<>();
                reader.visitBlocks(
                        reader.entry(partitions.rowsPosition().getAsLong()),
                        (separator, length, offset, open) ->
                                blocks.add(new Block(Bytes.wrap(Arrays.copyOf(separator, length)), offset)));
                var section = new Section(next.get().position(), next.get().end());
                try (var rows =
                        new RowCursor(sstable.openData(), sstable.descriptor().version(), header, List.of(section))) {
                    rows.nextPartition();
                    while (rows.nextItem()) {
                        if (rows.kind() != ClusteringPrefix.Kind.STATIC) {
                            requireBlock(
                                    blocks,
                                    Bytes.wrap(comparable.of(rows.clustering())),
                                    rows.position() - section.start(),
                                    what);
                        }
                    }
                }
            }
        }
    }

    private static void requireBlock(List<Block> blocks, Bytes place, long offset, String what) {
        int block = 0;
        while (block + 1 < blocks.size() && blocks.get(block + 1).separator().compareTo(place) <= 0) {
            block++;
        }
        assertThat(blocks.get(block).offset()).as(what).isLessThanOrEqualTo(offset);
        assertThat(blocks.get(block + 1).offset()).as(what).isGreaterThan(offset);
    }
}
