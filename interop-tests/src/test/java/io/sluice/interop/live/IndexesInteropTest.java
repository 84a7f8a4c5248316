package io.sluice.interop.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.io.MoreFiles;
import io.sluice.interop.live.MatrixNode.Table;
import io.sluice.interop.live.MatrixShapes.Shape;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A live node answers from the indexes beside SSTables that a session has moved: it uses the files that travelled with
 * whole SSTables, and builds indexes of slices.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class IndexesInteropTest {
    private static final String PLAIN = "{'enabled': false}";
    private static final String SIZE_TIERED = "{'class': 'SizeTieredCompactionStrategy'}";
    private static final List<TokenRanges> HALVES =
            List.of(TokenRanges.of(TokenRange.of(Long.MIN_VALUE, 0)), TokenRanges.of(TokenRange.of(0, Long.MAX_VALUE)));

    @TempDir
    private static Path work = Path.of("");

    private MatrixNode node;
    private MatrixSession session;
    private Path beside = Path.of("");

    @BeforeAll
    void start() throws IOException, InterruptedException {
        node = MatrixNode.start("5.0.9", "NONE", "sasi_indexes_enabled: true\n", work.resolve("copies"));
        // The node takes over the files: on its file system they keep their identity.
        beside = Files.createTempDirectory(Files.createDirectories(LiveCluster.HOME), "sessions");
        session = MatrixSession.start(beside);
        node.createKeyspace("held", 1);
        node.createKeyspace("whole", 1);
        node.createKeyspace("sliced", 1);
    }

    @AfterAll
    void stop() throws IOException, InterruptedException {
        session.close();
        node.close();
        MoreFiles.deleteRecursively(beside);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SAI | CREATE INDEX by_number ON $T (n) USING 'sai' | n >= 70 AND n < 90",
                "SASI | CREATE CUSTOM INDEX by_text ON $T (v) USING 'org.apache.cassandra.index.sasi.SASIIndex' | v LIKE 'value 12%'"
            })
    void indexes_answer_after_a_session(String name, String index, String where) throws Exception {
        Shape shape = MatrixShapes.usual().withIndex(index);
        Table held = node.load(node.create("held", shape, PLAIN, SIZE_TIERED));
        TableDirectory kept = TableDirectory.of(node.keep(held)).orElseThrow();
        String query = "SELECT k, c, v, n FROM $T WHERE " + where;
        Set<List<String>> expected = node.query(held, query);
        assertThat(expected).as("rows that the query finds").isNotEmpty();

        Table whole = node.create("whole", shape, PLAIN, SIZE_TIERED);
        Set<Object> sent = move(kept, List.of(TokenRanges.FULL), whole, name.equals("SAI"));
        assertThat(sent).as("files of indexes").isNotEmpty();
        assertThat(identities(node.live(whole))).as("files of indexes in use").isEqualTo(sent);
        assertThat(node.query(whole, query)).isEqualTo(expected);

        Table sliced = node.create("sliced", shape, PLAIN, SIZE_TIERED);
        assertThat(move(kept, HALVES, sliced, false))
                .as("files of indexes of slices")
                .isEmpty();
        assertThat(node.query(sliced, query)).isEqualTo(expected);
    }

    /** Returns the identities of the files of indexes that arrived. */
    private Set<Object> move(TableDirectory table, List<TokenRanges> parts, Table into, boolean hasIndexes)
            throws Exception {
        Set<Object> indexes = new HashSet<>();
        for (TokenRanges part : parts) {
            List<SSTable> arrived = session.move(table, part, false).sstables();
            Path folder = arrived.get(0).directory();
            try (var files = Files.list(folder)) {
                indexes.addAll(identities(files.toList()));
            }
            node.load(into, folder, hasIndexes);
        }
        return indexes;
    }

    private static Set<Object> identities(Collection<Path> files) throws IOException {
        Set<Object> identities = new HashSet<>();
        for (Path file : files) {
            String name = file.getFileName().toString();
            if (name.contains("-SAI+") || name.contains("-SI_")) {
                identities.add(Files.getAttribute(file, "unix:ino"));
            }
        }
        return identities;
    }
}
