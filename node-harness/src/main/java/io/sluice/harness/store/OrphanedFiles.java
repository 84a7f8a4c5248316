package io.sluice.harness.store;

import com.google.common.io.MoreFiles;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.encoding.LocalFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Cleans a table's folders of what a process left in them when it died. Stateless. */
final class OrphanedFiles {
    private static final Logger LOG = LoggerFactory.getLogger(OrphanedFiles.class);
    private static final String TEMPORARY = ".tmp";

    private OrphanedFiles() {}

    /**
     * Removes SSTables that were not finished, and compacted ones; what they held is in the log, or in other SSTables.
     *
     * @param isWhole whether all folders of the table are there: else marks stay, as one that is missing may hold
     *     SSTables that they name
     */
    static void remove(List<Path> folders, boolean isWhole) throws IOException {
        for (Path folder : folders) {
            removeUnfinished(folder);
            Snapshot.removeLeftovers(folder);
        }
        for (Path folder : folders) {
            for (Path mark : files(folder)) {
                if (mark.getFileName().toString().startsWith(ObsoleteSSTables.PREFIX)) {
                    removeObsolete(mark, folders, isWhole);
                }
            }
        }
    }

    private static void removeObsolete(Path mark, List<Path> folders, boolean isWhole) throws IOException {
        Set<Descriptor> obsolete = Set.copyOf(ObsoleteSSTables.read(mark));
        LOG.info("{}: removing {} SSTables that are obsolete", mark, obsolete.size());
        for (Path folder : folders) {
            LiveSSTables.removeFiles(folder, obsolete);
        }
        if (isWhole) {
            Files.deleteIfExists(mark);
        }
    }

    private static List<Path> files(Path tableDirectory) throws IOException {
        return LocalFiles.entries(tableDirectory).stream()
                .filter(Files::isRegularFile)
                .toList();
    }

    private static void removeUnfinished(Path tableDirectory) throws IOException {
        Set<Descriptor> unfinished = new HashSet<>();
        for (Path file : files(tableDirectory)) {
            String name = file.getFileName().toString();
            if (name.endsWith(TEMPORARY)) {
                // Components get their names one by one, the table of contents last: if one has not, all go.
                Descriptor.parse(name.substring(0, name.length() - TEMPORARY.length()))
                        .ifPresent(named -> unfinished.add(named.descriptor()));
            }
        }
        LiveSSTables.removeFiles(tableDirectory, unfinished);
        for (Path file : files(tableDirectory)) {
            if (file.getFileName().toString().endsWith(TEMPORARY)) {
                LOG.info("{} was not finished: removing it", file);
                Files.deleteIfExists(file);
            }
        }
    }

    /** Removes the folder of a table that was dropped. */
    static void removeTree(Path tableDirectory) throws IOException {
        LOG.info("{} was dropped: removing it", tableDirectory);
        MoreFiles.deleteRecursively(tableDirectory);
    }
}
