package io.sluice.cassandra.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cassandra.ring.CassandraNode;
import io.sluice.cassandra.ring.LiveTable;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.generate.TableGenerator;
import io.sluice.sstable.schema.SchemaException;
import io.sluice.sstable.schema.TableSchema;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.OptionalInt;
import java.util.UUID;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which SSTables are refused since their files are not as long as they were written. */
class FileEndsTest {
    private static final String COMPRESSED = ";";
    private static final String PLAIN = " WITH compression = {'enabled': false};";

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"true, 2", "true, 1000000", "false, 2", "false, 1000000"})
    void a_file_that_was_cut_off_is_refused(boolean isCompressed, int part) throws IOException, SchemaException {
        SSTable sstable = written(isCompressed ? COMPRESSED : PLAIN);
        Path data = sstable.path(Component.DATA);
        long length = sstable.lengthBytes(Component.DATA) - Math.max(1, sstable.lengthBytes(Component.DATA) / part);
        try (FileChannel file = FileChannel.open(data, StandardOpenOption.WRITE)) {
            file.truncate(length);
        }
        SSTable cut = SSTable.open(folder, sstable.descriptor());

        assertThatThrownBy(() -> plan(cut))
                .isInstanceOf(SSTableException.class)
                .hasMessageStartingWith(data + ": " + length + " bytes, the end of which is not what was written: ");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_file_that_has_grown_is_refused(boolean isCompressed) throws IOException, SchemaException {
        SSTable sstable = written(isCompressed ? COMPRESSED : PLAIN);
        try (FileChannel file = FileChannel.open(sstable.path(Component.DATA), StandardOpenOption.APPEND)) {
            file.write(ByteBuffer.allocate(1));
        }
        SSTable grown = SSTable.open(folder, sstable.descriptor());

        assertThatThrownBy(() -> plan(grown))
                .isInstanceOf(SSTableException.class)
                .hasMessageContaining("the end of which is not what was written");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void what_says_nothing_of_its_end_is_planned(boolean isCompressed) throws IOException, SchemaException {
        SSTable sstable = written(isCompressed ? COMPRESSED : PLAIN);
        Files.deleteIfExists(sstable.path(Component.CRC));

        assertThat(plan(SSTable.open(folder, sstable.descriptor()))).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"NB", "OA"})
    void an_index_that_was_cut_off_is_refused(String version) throws IOException, SchemaException {
        SSTable sstable = written(COMPRESSED, version.equals("OA") ? Version.OA : Version.NB);
        try (FileChannel file = FileChannel.open(sstable.path(Component.INDEX), StandardOpenOption.WRITE)) {
            file.truncate(file.size() / 2);
        }

        assertThatThrownBy(() -> plan(SSTable.open(folder, sstable.descriptor())))
                .isInstanceOf(SSTableException.class)
                .hasMessageContaining(sstable.path(Component.INDEX).toString());
    }

    private SSTable written(String options) throws IOException, SchemaException {
        return written(options, Version.NB);
    }

    private SSTable written(String options, Version version) throws IOException, SchemaException {
        TableSchema schema = TableSchema.parse("CREATE TABLE d.t (k text PRIMARY KEY, v blob)" + options);
        var order = new TableGenerator.Order(1 << 20, OptionalInt.empty(), OptionalInt.of(1), false, 1);
        Descriptor made = new TableGenerator(schema, version, schema.options(), bytes -> {})
                .write(folder, order)
                .get(0);
        SSTable sstable = SSTable.open(folder, made);
        assertThat(sstable.isCompressed()).isEqualTo(options.equals(COMPRESSED));
        return sstable;
    }

    private static List<Delivery> plan(SSTable sstable) throws IOException {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 7000);
        var node = new CassandraNode(new UUID(2, 2), address, "dc1", "5.0.9");
        var table = new LiveTable("d", "t", new UUID(1, 1), "", List.of());
        return LoadPlanner.plan(table, List.of(sstable), List.of(new Receiver(node, TokenRanges.FULL, 13)));
    }
}
