package io.sluice.bench;

import io.sluice.sstable.TableDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The folder of a table that an option of a benchmark names. Stateless. */
public final class DataFolder {
    private DataFolder() {}

    /**
     * The only table of a folder: itself, or one below it.
     *
     * @param option for messages
     * @throws IllegalArgumentException if there is none, or several, or one without SSTables
     */
    public static TableDirectory onlyTable(String option, Path folder) throws IOException {
        List<TableDirectory> tables = Files.isDirectory(folder) ? TableDirectory.find(folder) : List.of();
        if (tables.size() != 1 || tables.get(0).descriptors().isEmpty()) {
            throw new IllegalArgumentException(
                    option + " " + folder + " (expected: one folder <table>-<id>/ with SSTables in it)");
        }
        return tables.get(0);
    }
}
