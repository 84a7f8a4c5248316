package io.sluice.cassandra.load;

import io.sluice.sstable.TableDirectory;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * The tables of a folder that a load sends. Of all data those of users alone: nodes would take the tables of Cassandra
 * itself for their own. Immutable.
 *
 * @param tables by path
 * @param leftOut names of the keyspaces of Cassandra that are there, too
 */
record LoadedTables(List<TableDirectory> tables, Set<String> leftOut) {
    /** Keyspaces that each node has for itself: tokens, host id and schema are in them. */
    private static final Set<String> LOCAL =
            Set.of("system", "system_schema", "system_cluster_metadata", "system_views", "system_virtual_schema");

    /** Where a table's folder has its snapshots, each a folder of its own. */
    static final String SNAPSHOTS = "snapshots";

    LoadedTables {
        tables = List.copyOf(tables);
        leftOut = Set.copyOf(leftOut);
    }

    /**
     * Selects them.
     *
     * @param folder of a table, of one of its snapshots, of a keyspace, or of all data
     * @throws StreamException of code {@link ErrorCode#UNKNOWN_TABLE} if there is none, or if it is of a keyspace that
     *     each node has for itself
     */
    static LoadedTables in(Path folder) throws IOException {
        Optional<TableDirectory> snapshot = snapshot(folder);
        List<TableDirectory> found = snapshot.isPresent() ? List.of(snapshot.get()) : TableDirectory.find(folder);
        boolean isAllData = found.stream().noneMatch(table -> isOf(folder, table.path()));
        Predicate<String> isLeftOut = isAllData ? LoadedTables::isOfCassandra : keyspace -> false;
        List<TableDirectory> tables = found.stream()
                .filter(table -> !isLeftOut.test(table.keyspace()))
                .toList();
        if (tables.isEmpty()) {
            throw new StreamException(
                    ErrorCode.UNKNOWN_TABLE, folder + ": no table (expected: folders <keyspace>/<table>-<id>)");
        }
        tables.stream()
                .filter(table -> LOCAL.contains(table.keyspace()))
                .findFirst()
                .ifPresent(table -> {
                    throw new StreamException(
                            ErrorCode.UNKNOWN_TABLE,
                            table.path() + ": each node has keyspace " + table.keyspace()
                                    + " for itself (expected: a keyspace of users)");
                });
        Set<String> leftOut = new TreeSet<>();
        found.stream().map(TableDirectory::keyspace).filter(isLeftOut).forEach(leftOut::add);
        return new LoadedTables(tables, leftOut);
    }

    /** The table as it was, if the folder is {@code <table>-<id>/snapshots/TAG}. */
    private static Optional<TableDirectory> snapshot(Path folder) {
        Path snapshots = folder.toAbsolutePath().normalize().getParent();
        if (snapshots == null || snapshots.getParent() == null || !snapshots.endsWith(SNAPSHOTS)) {
            return Optional.empty();
        }
        return TableDirectory.of(snapshots.getParent())
                .map(table -> new TableDirectory(folder, table.keyspace(), table.name(), table.id()));
    }

    /** Whether it is the folder of that table, or of its keyspace. */
    private static boolean isOf(Path folder, Path table) {
        return folder.equals(table) || folder.equals(table.getParent());
    }

    private static boolean isOfCassandra(String keyspace) {
        return keyspace.equals("system") || keyspace.startsWith("system_");
    }
}
