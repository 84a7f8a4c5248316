package io.sluice.harness.replace;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.cassandra.Cql;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Keyspaces with a table that takes no files are named, whatever columns a release has. */
class UnsupportedKeyspacesTest {
    private final Map<String, String> reasons = new TreeMap<>();

    @Test
    void captured_tables_and_their_keyspaces_are_left_out() {
        UnsupportedKeyspaces.tables(
                new Cql.Answer(
                        List.of("keyspace_name", "table_name", "cdc"),
                        List.of(
                                List.of("'a'", "'t'", "NULL"),
                                List.of("'b'", "'t'", "true"),
                                List.of("'c'", "'t'", "false"))),
                reasons);

        assertThat(reasons)
                .isEqualTo(Map.of("b", "b.t has cdc: what is imported would pass by the log of its changes"));
    }

    @Test
    void memtables_of_their_own_kind_are_left_out() {
        UnsupportedKeyspaces.tables(
                new Cql.Answer(
                        List.of("keyspace_name", "table_name", "memtable"),
                        List.of(
                                List.of("'a'", "'t'", "NULL"),
                                List.of("'b'", "'t'", "'default'"),
                                List.of("'c'", "'t'", "'pmem'"))),
                reasons);

        assertThat(reasons).containsOnlyKeys("c");
    }

    @Test
    void indexed_tables_are_left_out() {
        UnsupportedKeyspaces.indexes(
                new Cql.Answer(
                        List.of("keyspace_name", "table_name", "index_name"), List.of(List.of("'a'", "'t'", "'i'"))),
                reasons);

        assertThat(reasons).isEqualTo(Map.of("a", "a.t has index i, which was not tried with imported files"));
    }
}
