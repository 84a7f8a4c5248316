package io.sluice.sstable.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.Fixture;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.data.SerializationHeader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TableSchemaTest {

    static Stream<Fixture> fixtures() {
        return Fixture.all().filter(fixture -> !fixture.table().name().equals("dense_nulls")); // COMPACT STORAGE
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void gives_the_header_that_the_reference_wrote(Fixture fixture) throws IOException, SchemaException {
        Path cql = fixture.table().path().resolve("../../../schema.cql");
        TableSchema schema = TableSchema.parse(Files.readString(cql));

        SSTable sstable = fixture.open();
        SerializationHeader expected =
                SerializationHeader.parse(sstable.statistics().header());
        assertThat(schema.name()).isEqualTo(fixture.table().name());
        assertThat(schema.options().compression().isPresent()).isEqualTo(sstable.isCompressed());
        SerializationHeader header = schema.header(expected.base());
        assertThat(header.keyType()).isEqualTo(expected.keyType());
        assertThat(header.clusteringTypes()).isEqualTo(expected.clusteringTypes());
        assertThat(header.staticColumns()).containsAll(expected.staticColumns()); // only those that were written
        assertThat(header.regularColumns()).containsAll(expected.regularColumns());
    }

    @Test
    void reads_the_options_of_a_table() throws SchemaException {
        TableSchema schema = TableSchema.parse("CREATE TABLE ks.t (k int PRIMARY KEY) WITH comment = 'it''s'"
                + " AND bloom_filter_fp_chance = 0.1 AND caching = {'keys': 'ALL'} AND min_index_interval = 64"
                + " AND compression = {'class': 'ZstdCompressor', 'chunk_length_in_kb': 4, 'compression_level': 5};");

        assertThat(schema.options().filterChance()).isEqualTo(0.1);
        assertThat(schema.options().minIndexInterval()).isEqualTo(64);
        assertThat(schema.options().compression()).hasValueSatisfying(compression -> {
            assertThat(compression.chunkLengthBytes()).isEqualTo(4096);
            assertThat(compression.options()).containsEntry("compression_level", "5");
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "CREATE KEYSPACE ks;",
                "CREATE TABLE ks.t (k int);",
                "CREATE TABLE ks.t (k int PRIMARY KEY",
                "CREATE TABLE ks.t (k nothing PRIMARY KEY);",
                "CREATE TABLE ks.t (k int, PRIMARY KEY (j));",
                "CREATE TABLE ks.t (k int PRIMARY KEY) WITH compression = {'class': 'Best'};",
                "CREATE TABLE ks.t (k int PRIMARY KEY) WITH bloom_filter_fp_chance = many;",
                "CREATE TABLE ks.t (k int PRIMARY KEY) WITH COMPACT STORAGE;"
            })
    void refuses_what_declares_no_table(String cql) {
        assertThatThrownBy(() -> TableSchema.parse(cql)).isInstanceOf(SchemaException.class);
    }

    @Test
    void refuses_a_million_types_inside_each_other() {
        String cql = "CREATE TABLE ks.t (k int PRIMARY KEY, v " + "frozen<".repeat(1_000_000);

        assertThatThrownBy(() -> TableSchema.parse(cql)).isInstanceOf(SchemaException.class);
    }
}
