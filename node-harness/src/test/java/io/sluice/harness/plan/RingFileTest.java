package io.sluice.harness.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.harness.config.ConfigException;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a ring file means, and what it may not say. */
class RingFileTest {
    private static final String NODES = """
            nodes:
              - {name: n1, tokens: [0]}
              - {name: n2, tokens: [100]}
            """;
    private static final long GIB = 1L << 30;

    @TempDir
    private Path folder = Path.of("");

    private RingFile ring(String yaml) throws IOException {
        return RingFile.read(Files.writeString(folder.resolve("ring.yaml"), yaml));
    }

    private RingFile hot(String range) throws IOException {
        return ring(NODES + """
                keyspaces:
                  - name: ks
                    replication: 1
                    tables:
                      - name: t
                        size: 1GiB
                        hot:
                          - %s
                """.formatted(range));
    }

    private static long bytes(RingFile ring, long first, long last) {
        TableRef table = ring.rings().keySet().iterator().next();
        Node node = ring.node("n1");
        return ring.sizes().bytes(table, node, first, last);
    }

    @ParameterizedTest
    @CsvSource({
        "4611686018427387904, -4611686018427387904", // as wide on both sides of the end of the ring
        "4611686018427387904, -9223372036854775808",
        "9223372036854775807, -4611686018427387904",
        "9223372036854775807, -9223372036854775808",
        "-4611686018427387904, 0"
    })
    void a_hot_range_counts_wherever_it_is(long start, long end) throws IOException {
        RingFile ring = hot("{start: " + start + ", end: " + end + ", size: 10GiB}");

        assertThat(bytes(ring, Long.MIN_VALUE, Long.MAX_VALUE)).isEqualTo(11 * GIB);
    }

    @Test
    void a_hot_range_across_the_end_of_the_ring_is_at_both_ends() throws IOException {
        RingFile ring = hot("{start: 4611686018427387904, end: -4611686018427387904, size: 10GiB}");

        assertThat(bytes(ring, 4611686018427387905L, Long.MAX_VALUE)).isCloseTo(5 * GIB + GIB / 4, within(4096L));
        assertThat(bytes(ring, Long.MIN_VALUE, -4611686018427387904L)).isCloseTo(5 * GIB + GIB / 4, within(4096L));
        assertThat(bytes(ring, -4611686018427387903L, 4611686018427387904L)).isCloseTo(GIB / 2, within(4096L));
    }

    @Test
    void a_hot_range_without_tokens_is_refused() {
        assertThatThrownBy(() -> hot("{start: 5, end: 5, size: 10GiB}"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(
                        "ring.yaml:11: keyspaces[1].tables[1].hot[1].end: 5 as start (expected: another token");
    }

    @Test
    void a_table_is_in_a_keyspace_once() {
        assertThatThrownBy(() -> ring(NODES + """
                keyspaces:
                  - name: ks
                    replication: 1
                    tables:
                      - {name: t, size: 400GiB}
                      - {name: u, size: 1GiB}
                      - {name: t, size: 1GiB}
                """))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(
                        "ring.yaml:10: keyspaces[1].tables[3].name: t is already in line 8 (expected: once)");
    }

    @Test
    void a_keyspace_is_there_once() {
        assertThatThrownBy(() -> ring(NODES + """
                keyspaces:
                  - {name: ks, replication: 1, tables: [{name: t, size: 400GiB}]}
                  - {name: ks, replication: 2, tables: [{name: t, size: 1GiB}]}
                """))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("ring.yaml:6: keyspaces[2].name: ks is already in line 5 (expected: once)");
    }

    @Test
    void a_node_is_there_once_also_one_that_joins() {
        assertThatThrownBy(() -> ring("""
                nodes:
                  - {name: n1, tokens: [0]}
                  - {name: n1, tokens: [100], state: joining}
                keyspaces:
                  - {name: ks, replication: 1, tables: [{name: t, size: 400GiB}]}
                """))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("ring.yaml:3: nodes[2].name: n1 is already in line 2 (expected: once)");
    }
}
