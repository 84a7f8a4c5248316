package io.sluice.sstable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A table whose folder was copied while Cassandra compacted it; the lines are those of a node of 5.0.9. */
class TransactionLogTest {
    private static final String LOG = "nb_txn_compaction_90972830-eb37-11f1-a28b-67ca119cc9a6.log";
    private static final String FOLDER = "/data/bench/users-51d1ce00e52711f18440cfee58406264/";
    private static final String ADD = "ADD:[" + FOLDER + "nb-8-big-,0,8][531855163]\n";
    private static final String REMOVE = "REMOVE:[" + FOLDER + "nb-6-big-,1795875904655,7][2690849883]\n" + "REMOVE:["
            + FOLDER + "nb-5-big-,1795875904647,7][1134892907]\n";
    private static final String COMMIT = "COMMIT:[,0,0][2613697770]\n";
    private static final String ABORT = "ABORT:[,0,0][737437348]\n";

    @TempDir
    private Path data = Path.of("");

    private Path folder = Path.of("");

    @BeforeEach
    void three_inputs_and_what_is_made_of_two() throws IOException {
        folder = Files.createDirectories(data.resolve("bench").resolve("users-51d1ce00e52711f18440cfee58406264"));
        for (String sstable : List.of("nb-4-big", "nb-5-big", "nb-6-big", "nb-8-big")) {
            for (String component : List.of("Data.db", "Index.db", "Statistics.db")) {
                Files.createFile(folder.resolve(sstable + "-" + component));
            }
        }
    }

    private TableDirectory logged(String lines) throws IOException {
        Files.writeString(folder.resolve(LOG), lines);
        return TableDirectory.of(folder).orElseThrow();
    }

    private static List<String> names(TableDirectory table) throws IOException {
        return table.descriptors().stream().map(Descriptor::toString).toList();
    }

    /** The second: cut while a line was written. */
    @ParameterizedTest
    @ValueSource(strings = {ADD, ADD + REMOVE + "COMMIT:[,0,0][26136", ADD + REMOVE, ADD + ABORT, ADD + REMOVE + ABORT})
    void what_an_unfinished_operation_made_is_no_part_of_the_table(String lines) throws IOException {
        TableDirectory table = logged(lines);
        Files.delete(folder.resolve("nb-8-big-Statistics.db")); // it comes last

        assertThat(names(table)).containsExactly("nb-4-big", "nb-5-big", "nb-6-big");
        assertThat(table.contents().leftOut()).isEmpty();
    }

    @Test
    void what_a_committed_operation_has_replaced_is_none_any_more() throws IOException {
        TableDirectory table = logged(ADD + REMOVE + COMMIT);
        Files.delete(folder.resolve("nb-6-big-Data.db")); // the removal has begun

        assertThat(names(table)).containsExactly("nb-4-big", "nb-8-big");
        assertThat(table.contents().leftOut()).isEmpty();
    }

    @Test
    void a_log_that_is_not_understood_is_named_with_what_to_do() throws IOException {
        TableDirectory table = logged(ADD + "DAMAGED\n" + COMMIT);

        assertThatThrownBy(table::descriptors)
                .isInstanceOf(SSTableException.class)
                .hasMessageContaining(LOG + ": line 2 is none of a transaction log")
                .hasMessageContaining("take a snapshot");
    }

    @Test
    void a_log_that_ends_meanwhile_is_none() throws IOException {
        TableDirectory table = logged("");
        Files.delete(folder.resolve(LOG));
        Files.createSymbolicLink(folder.resolve(LOG), folder.resolve("gone"));

        assertThat(names(table)).hasSize(4);
    }

    @Test
    void sstables_of_other_versions_in_a_log_are_no_concern_of_ours() throws IOException {
        assertThat(names(logged("REMOVE:[" + FOLDER + "mc-6-big-,1795875904655,7][2690849883]\n" + COMMIT)))
                .hasSize(4);
    }

    @Test
    void a_log_that_is_too_long_is_not_read() throws IOException {
        TableDirectory table = logged(ADD);
        try (FileChannel log = FileChannel.open(folder.resolve(LOG), StandardOpenOption.WRITE)) {
            log.write(ByteBuffer.allocate(1), 64 << 20); // sparse
        }

        assertThatThrownBy(table::descriptors)
                .isInstanceOf(SSTableException.class)
                .hasMessageContaining(LOG + ": 67108865 bytes");
    }
}
