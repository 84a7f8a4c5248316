package io.sluice.harness.store;

import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.encoding.OwnerOnly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The ids of dropped tables, each an empty file in {@code dropped-tables}. A dropped table never comes back, and what
 * streams brought of it is discarded. Thread-safe.
 */
final class DroppedTables {
    private final Path directory;
    private final Set<UUID> ids = ConcurrentHashMap.newKeySet();

    private DroppedTables(Path directory) {
        this.directory = directory;
    }

    static DroppedTables open(Path directory) throws IOException {
        OwnerOnly.createDirectories(directory);
        DroppedTables dropped = new DroppedTables(directory);
        for (Path note : LocalFiles.entries(directory)) {
            dropped.ids.add(UUID.fromString(note.getFileName().toString()));
        }
        return dropped;
    }

    /** Adds an id durably. */
    void add(UUID tableId) throws IOException {
        Path note = directory.resolve(tableId.toString());
        if (!Files.exists(note)) {
            OwnerOnly.createFile(note);
        }
        new LocalFiles().syncDirectory(directory);
        ids.add(tableId);
    }

    boolean contains(UUID tableId) {
        return ids.contains(tableId);
    }
}
