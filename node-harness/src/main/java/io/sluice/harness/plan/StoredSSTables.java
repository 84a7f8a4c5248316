package io.sluice.harness.plan;

import io.sluice.harness.config.ConfigException;
import io.sluice.harness.content.TableFiles;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.transfer.RequestedSections;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The actual SSTables of nodes whose data directories can be read; the forecast needs no model for them.
 *
 * @param directories of nodes, by name: folders with {@code <keyspace>/<table>-<id>} in them
 */
public record StoredSSTables(Map<String, Path> directories) {
    /** No node is known. */
    public static final StoredSSTables NONE = new StoredSSTables(Map.of());

    public StoredSSTables {
        directories = Map.copyOf(directories);
    }

    /**
     * The wanted sections of each SSTable of a stream's source; empty if the source's files are not known.
     *
     * @throws ConfigException if the source has no such table
     */
    Optional<List<RequestedSections>> wanted(StreamRequest request) throws IOException {
        Path directory = directories.get(request.source().name());
        if (directory == null) {
            return Optional.empty();
        }
        List<RequestedSections> wanted = new ArrayList<>();
        for (TableDirectory table : tables(directory, request.table())) {
            for (SSTable sstable : TableFiles.open(table)) {
                RequestedSections one = RequestedSections.of(sstable, request.ranges());
                if (!one.rangeSections().isEmpty()) {
                    wanted.add(one);
                }
            }
        }
        return Optional.of(wanted);
    }

    private static List<TableDirectory> tables(Path directory, TableRef wanted) throws IOException {
        List<TableDirectory> tables = TableDirectory.find(directory).stream()
                .filter(table -> table.keyspace().equals(wanted.keyspace())
                        && table.name().equals(wanted.name()))
                .toList();
        if (tables.isEmpty()) {
            throw new ConfigException(directory + ": no table " + wanted.keyspace() + "." + wanted.name()
                    + " (expected: a folder " + wanted.keyspace() + "/" + wanted.name() + "-<id>)");
        }
        return tables;
    }
}
