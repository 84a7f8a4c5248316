package io.sluice.harness.cli.cassandra;

import io.sluice.harness.cassandra.Cql;
import io.sluice.harness.content.TableFiles;
import io.sluice.harness.report.ByteFormat;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * The table that is loaded and pulled. Immutable.
 *
 * @param folder that is kept for later runs
 */
record BenchTable(Path folder) {
    static final String KEYSPACE = "bench";
    static final String TABLE = "users";
    private static final long SSTABLE_BYTES = 160L << 20;
    private static final UUID GENERATED = new UUID(0, 1);

    /** The table of this size, made the first time. */
    static BenchTable generated(Path home, long size) throws IOException {
        Path root = home.resolve("bench-data-" + size);
        Path table = root.resolve(KEYSPACE).resolve(TABLE + "-" + "0".repeat(31) + "1");
        if (!Files.exists(root.resolve("complete"))) {
            System.out.println("Generating " + ByteFormat.text(size) + " (kept for later runs)");
            Files.createDirectories(table);
            new DataSetWriter(DataSet.ofBytes(1, size), Version.NB, WriterOptions.DEFAULTS)
                    .write(table, TokenRanges.FULL.ranges(), (int) Math.max(1, size / SSTABLE_BYTES), 1);
            Files.createFile(root.resolve("complete"));
        }
        return new BenchTable(table);
    }

    /** Makes the table anew, without compaction: it would begin while the next load is measured. Returns its id. */
    static UUID empty(Cql cql, int replicas) throws IOException {
        cql.execute("CREATE KEYSPACE IF NOT EXISTS " + KEYSPACE
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': " + replicas + "}");
        cql.execute("DROP TABLE IF EXISTS " + KEYSPACE + "." + TABLE);
        cql.execute("CREATE TABLE " + KEYSPACE + "." + TABLE
                + " (key text, column1 int, value text, PRIMARY KEY (key, column1)) WITH compression ="
                + " {'enabled': false} AND compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}");
        Cql.Answer answer = cql.execute("SELECT id FROM system_schema.tables WHERE keyspace_name = '" + KEYSPACE
                + "' AND table_name = '" + TABLE + "'");
        return UUID.fromString(answer.rows().get(0).get(0));
    }

    /** What lies in a data folder of a table. */
    static ContentDigest digest(Path folder, UUID table) throws IOException {
        ContentDigest all = ContentDigest.EMPTY;
        for (TableDirectory found : TableDirectory.find(folder)) {
            if (found.id().equals(table)) { // dropped ones may still lie beside it
                for (TableFiles files : TableFiles.openAll(found.path())) {
                    all = all.plus(ContentDigest.of(files.sstables(), TokenRanges.FULL));
                }
            }
        }
        return all;
    }

    /** What is in it. */
    ContentDigest content() throws IOException {
        return digest(folder, GENERATED);
    }

    /** Of all files. */
    long lengthBytes() throws IOException {
        return TableFiles.openAll(folder).stream()
                .mapToLong(TableFiles::bytesOnDisk)
                .sum();
    }
}
