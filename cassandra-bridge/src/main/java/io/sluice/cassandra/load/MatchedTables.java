package io.sluice.cassandra.load;

import io.sluice.cassandra.ring.ClusterView;
import io.sluice.cassandra.ring.LiveTable;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * The SSTables of a load, with the tables that the cluster has for them. Immutable.
 *
 * @param tables each with at least one SSTable and one owner
 * @param viewsLeftOut materialized views of which there are SSTables, as {@code keyspace.view}: a node writes a view
 *     itself, from the rows of the base table
 */
record MatchedTables(List<Match> tables, Set<String> viewsLeftOut) {
    /**
     * A table with its SSTables.
     *
     * @param view of the table's keyspace
     */
    record Match(ClusterView view, LiveTable table, List<SSTable> sstables) {
        Match {
            sstables = List.copyOf(sstables);
        }
    }

    MatchedTables {
        tables = List.copyOf(tables);
        viewsLeftOut = Set.copyOf(viewsLeftOut);
    }

    /**
     * Opens the SSTables and finds their tables; folders without an SSTable are skipped.
     *
     * @param keyspace to load into, if it is not that of the folder
     * @param cluster a keyspace as the cluster has it now
     * @throws StreamException of code {@link ErrorCode#UNKNOWN_TABLE} if there is no SSTable, if those of a table find
     *     none in the cluster, if all are of views, or if no node owns anything of a keyspace
     */
    static MatchedTables of(
            List<TableDirectory> directories, Optional<String> keyspace, Function<String, ClusterView> cluster)
            throws IOException {
        List<Match> tables = new ArrayList<>();
        Set<String> views = new TreeSet<>();
        for (TableDirectory directory : directories) {
            List<SSTable> sstables = sstables(directory);
            if (sstables.isEmpty()) {
                continue;
            }
            ClusterView view = cluster.apply(keyspace.orElse(directory.keyspace()));
            if (view.materializedViews().contains(directory.name())) {
                views.add(view.keyspace() + "." + directory.name());
            } else {
                tables.add(new Match(view, owned(view, directory), sstables));
            }
        }
        if (tables.isEmpty()) {
            throw unknown(views.isEmpty() ? noSSTable(directories) : onlyViews(views));
        }
        return new MatchedTables(tables, views);
    }

    private static List<SSTable> sstables(TableDirectory directory) throws IOException {
        List<SSTable> sstables = new ArrayList<>();
        for (Descriptor descriptor : directory.descriptors()) {
            sstables.add(SSTable.open(directory.path(), descriptor));
        }
        return sstables;
    }

    private static LiveTable owned(ClusterView view, TableDirectory directory) {
        LiveTable table = view.table(directory.name())
                .orElseThrow(() -> unknown(directory.path() + ": the cluster has no table " + view.keyspace() + "."
                        + directory.name() + " (create it as it was where the files come from)"));
        if (view.owned().isEmpty()) {
            throw unknown(table + ": no node owns any of it (expected: a replication of keyspace " + view.keyspace()
                    + " that names a data centre of the cluster)");
        }
        return table;
    }

    private static String noSSTable(List<TableDirectory> directories) {
        List<Path> snapshots = directories.stream()
                .map(directory -> directory.path().resolve(LoadedTables.SNAPSHOTS))
                .filter(Files::isDirectory)
                .toList();
        return directories.stream().map(TableDirectory::path).toList() + ": no SSTable"
                + (snapshots.isEmpty()
                        ? ""
                        : ", but snapshots in " + snapshots + " (load one by its folder, TAG in it)");
    }

    private static String onlyViews(Set<String> views) {
        return views + ": materialized views (expected: their base tables, from which the nodes write them)";
    }

    private static StreamException unknown(String message) {
        return new StreamException(ErrorCode.UNKNOWN_TABLE, message);
    }
}
