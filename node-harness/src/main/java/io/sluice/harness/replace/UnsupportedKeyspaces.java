package io.sluice.harness.replace;

import io.sluice.harness.cassandra.Cql;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Which keyspaces are left to Cassandra, since one of their tables takes no files. Pure but for the queries. */
final class UnsupportedKeyspaces {
    private UnsupportedKeyspaces() {}

    /** A reason for each such keyspace, from what a live node says of its schema. */
    static Map<String, String> leftToCassandra(Cql cql) throws IOException {
        Map<String, String> reasons = new TreeMap<>();
        tables(cql.execute("SELECT * FROM system_schema.tables"), reasons);
        indexes(cql.execute("SELECT * FROM system_schema.indexes"), reasons);
        return reasons;
    }

    static void tables(Cql.Answer answer, Map<String, String> reasons) {
        for (List<String> row : answer.rows()) {
            String keyspace = text(answer, row, "keyspace_name");
            String table = keyspace + "." + text(answer, row, "table_name");
            if (text(answer, row, "cdc").equals("true")) {
                reasons.putIfAbsent(
                        keyspace, table + " has cdc: what is imported would pass by the log of its changes");
            }
            String memtable = text(answer, row, "memtable");
            if (!memtable.isEmpty() && !memtable.equals("default")) {
                reasons.putIfAbsent(
                        keyspace,
                        table + " has memtable '" + memtable + "', which may want streams in the place of files");
            }
        }
    }

    static void indexes(Cql.Answer answer, Map<String, String> reasons) {
        for (List<String> row : answer.rows()) {
            String keyspace = text(answer, row, "keyspace_name");
            reasons.putIfAbsent(
                    keyspace,
                    keyspace + "." + text(answer, row, "table_name") + " has index " + text(answer, row, "index_name")
                            + ", which was not tried with imported files");
        }
    }

    /** A column's value without quotes; empty if the release has no such column, or the row no value. */
    private static String text(Cql.Answer answer, List<String> row, String column) {
        int at = answer.columns().indexOf(column);
        String literal = at < 0 ? "NULL" : row.get(at);
        return literal.equals("NULL") ? "" : literal.replaceAll("^'|'$", "");
    }
}
