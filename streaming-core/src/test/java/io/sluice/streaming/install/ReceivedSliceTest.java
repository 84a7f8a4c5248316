package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.compression.Compressor;
import io.sluice.sstable.data.Cell;
import io.sluice.sstable.data.ClusteringPrefix;
import io.sluice.sstable.data.Column;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.data.SliceWriter;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.index.PartitionCursor;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.key.TokenKeys;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.sstable.type.CqlType.Scalar;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.transfer.block.Pinned;
import io.sluice.streaming.transfer.block.WholeSSTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A sound slice passes the check of what arrived. */
class ReceivedSliceTest {
    private static final TableRef TABLE = new TableRef(new UUID(3, 3), "ks", "t");
    private static final Column VALUE = Column.of("value", Scalar.BLOB);
    private static final WriterOptions LZ4 =
            WriterOptions.DEFAULTS.withCompression(CompressionParameters.of(Compressor.LZ4, 1 << 12));

    @TempDir
    Path temp;

    private Path folder(String name) throws IOException {
        return Files.createDirectories(temp.resolve(name));
    }

    private SSTable written(Descriptor descriptor, LongStream tokens) throws IOException {
        var header = new SerializationHeader(
                SerializationHeader.Base.EPOCH, Scalar.BLOB, List.of(), List.of(), List.of(VALUE));
        var random = new Random(1);
        try (var writer = SSTableWriter.create(folder("source"), descriptor, header, LZ4)) {
            for (PartitionKey key :
                    tokens.mapToObj(token -> TokenKeys.of(new Token(token), 16)).toList()) {
                var value = new byte[1_000];
                random.nextBytes(value);
                Row row = Row.inserted(ClusteringPrefix.row(), 1, List.of(Cell.of(VALUE, 1, Bytes.wrap(value))));
                writer.append(Partition.of(PartitionHeader.of(key), List.of(row)));
            }
            return writer.finish();
        }
    }

    /** Its padding has the token before that of the only partition behind it. */
    @ParameterizedTest
    @EnumSource(Version.class)
    void a_padded_section_of_one_partition_passes_the_check(Version version) throws IOException {
        var descriptor = new Descriptor(version, new SSTableId.Sequence(1));
        SSTable source = written(descriptor, LongStream.range(1, 100).map(i -> i * 1_000));
        var ranges = TokenRanges.of(List.of(
                new TokenRange(new Token(0), new Token(40_000)), new TokenRange(new Token(72_500), new Token(73_500))));

        SSTable slice = SliceWriter.write(source, ranges, folder("slice"), descriptor)
                .orElseThrow()
                .sstable();
        try (PartitionCursor partitions = slice.partitions()) {
            partitions.seekAfter(new Token(40_000));
            assertThat(partitions.next().orElseThrow().token()).as("padding").isEqualTo(new Token(72_999));
        }
        SSTableOffer offer = WholeSSTables.offers(Pinned.of(TABLE, List.of(slice)), TokenRanges.FULL, 0)
                .get(0);

        assertThat(ReceivedSSTableCheck.opening().check(slice.directory(), descriptor, offer, ranges))
                .isEmpty();
    }
}
