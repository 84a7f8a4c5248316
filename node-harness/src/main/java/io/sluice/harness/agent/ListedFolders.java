package io.sluice.harness.agent;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ListMultimap;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.encoding.LocalFiles;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The files of the SSTables in some folders. Each folder is listed once, when it is first asked about, however many
 * SSTables there are: for one question, whose answer is about that moment. Not thread-safe.
 */
final class ListedFolders {
    private final Map<Path, Listed> folders = new HashMap<>();

    private record Listed(boolean isEmpty, ListMultimap<Descriptor, Path> files) {}

    /** Whether a folder has no file, of whatever name; one that is not there has none. */
    boolean isEmpty(Path folder) throws IOException {
        return listed(folder).isEmpty();
    }

    /** The files of an SSTable in a folder, in order, also those beside its components. */
    List<Path> files(Path folder, Descriptor sstable) throws IOException {
        return List.copyOf(listed(folder).files().get(sstable));
    }

    private Listed listed(Path folder) throws IOException {
        Listed listed = folders.get(folder);
        if (listed == null) {
            List<Path> all = list(folder);
            ListMultimap<Descriptor, Path> files = ArrayListMultimap.create();
            for (Path file : all) {
                Optional<Descriptor> sstable = Descriptor.ofFile(String.valueOf(file.getFileName()));
                sstable.ifPresent(its -> files.put(its, file));
            }
            listed = new Listed(all.isEmpty(), files);
            folders.put(folder, listed);
        }
        return listed;
    }

    /** All files in a folder, in order; none if it is not there. */
    static List<Path> list(Path folder) throws IOException {
        try {
            return LocalFiles.entries(folder);
        } catch (NoSuchFileException none) {
            return List.of();
        }
    }
}
