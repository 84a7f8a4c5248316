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
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The SSTables of a load, with the tables that the cluster has for them. Immutable.
 *
 * @param tables each with at least one SSTable and one owner
 * @param viewsLeftOut materialized views of which there are SSTables: a node writes a view itself, from the rows of the
 *     base table
 */
record MatchedTables(List<Match> tables, List<ViewLeftOut> viewsLeftOut) {
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
        viewsLeftOut = List.copyOf(viewsLeftOut);
    }

    /**
     * Opens the SSTables and finds their tables; folders without an SSTable are skipped.
     *
     * @param keyspace to load into, if it is not that of the folder
     * @param cluster a keyspace as the cluster has it now
     * @throws StreamException of code {@link ErrorCode#UNKNOWN_TABLE} if there is no SSTable, if those of a table find
     *     none in the cluster, if those of several keyspaces would be put into one, if all are of views, or if no node
     *     owns anything of a keyspace
     */
    static MatchedTables of(
            List<TableDirectory> directories, Optional<String> keyspace, Function<String, ClusterView> cluster)
            throws IOException {
        List<Match> tables = new ArrayList<>();
        Map<String, String> bases = new TreeMap<>();
        Set<String> keyspaces = new TreeSet<>();
        for (TableDirectory directory : directories) {
            List<SSTable> sstables = sstables(directory);
            if (sstables.isEmpty()) {
                continue;
            }
            keyspaces.add(directory.keyspace());
            if (keyspace.isPresent() && keyspaces.size() > 1) {
                throw unknown("SSTables of several keyspaces " + keyspaces + " would be put into " + keyspace.get()
                        + " (expected: those of one; name its folder)");
            }
            ClusterView view = cluster.apply(keyspace.orElse(directory.keyspace()));
            String base = view.materializedViews().get(directory.name());
            if (base != null) {
                bases.put(view.keyspace() + "." + directory.name(), view.keyspace() + "." + base);
            } else {
                tables.add(new Match(view, owned(view, directory), sstables));
            }
        }
        if (tables.isEmpty()) {
            throw unknown(bases.isEmpty() ? noSSTable(directories) : onlyViews(bases.keySet()));
        }
        Set<String> loaded =
                tables.stream().map(match -> match.table().toString()).collect(Collectors.toSet());
        List<ViewLeftOut> views = new ArrayList<>();
        bases.forEach((view, base) -> views.add(new ViewLeftOut(view, base, loaded.contains(base))));
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
