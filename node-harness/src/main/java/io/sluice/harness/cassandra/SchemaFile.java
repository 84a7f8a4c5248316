package io.sluice.harness.cassandra;

import io.sluice.sstable.TableDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The schema that lies beside the keyspaces of a data folder, as {@code schema.cql}: generated data has one. Stateless.
 */
public final class SchemaFile {
    private SchemaFile() {}

    /**
     * The file.
     *
     * @throws IllegalArgumentException if it is not there
     */
    public static Path fileOf(TableDirectory table) {
        Path schema = table.path().resolveSibling("..").resolve("schema.cql").normalize();
        if (!Files.exists(schema)) {
            throw new IllegalArgumentException("--with cassandra: no " + schema
                    + " (expected: the CREATE TABLE of the data there; generated data has it)");
        }
        return schema;
    }

    /**
     * Creates keyspace and table. The table is never compacted: that would begin while something else is measured.
     *
     * @param replicas of each row
     */
    public static void create(TableDirectory table, Cql cql, int replicas) throws IOException {
        Path schema = fileOf(table);
        cql.execute("CREATE KEYSPACE IF NOT EXISTS " + table.keyspace()
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': " + replicas + "}");
        for (String statement : Cql.statements(Files.readString(schema))) {
            if (!statement.toUpperCase(Locale.ROOT).startsWith("CREATE KEYSPACE")) {
                cql.execute(statement);
            }
        }
        cql.execute("ALTER TABLE " + table.keyspace() + "." + table.name()
                + " WITH compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}");
    }
}
