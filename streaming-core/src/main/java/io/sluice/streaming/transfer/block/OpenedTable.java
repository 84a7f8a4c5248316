package io.sluice.streaming.transfer.block;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableException;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;

/**
 * A pinned table with its SSTables: all are opened once, on first use. An open SSTable holds no descriptor, so there is
 * nothing to close; the pin's owner closes the pin. Not thread-safe: confined to the preparation of a session.
 */
public final class OpenedTable {
    private final PinnedTable pinned;
    private List<SSTable> sstables = List.of();
    private boolean isOpen;

    /** @param pinned closed by the caller */
    public OpenedTable(PinnedTable pinned) {
        this.pinned = pinned;
    }

    /** The pinned view. */
    public PinnedTable pinned() {
        return pinned;
    }

    /** The table. */
    public TableRef table() {
        return pinned.table();
    }

    /** As {@link PinnedTable#onlyRows}. */
    public Optional<String> onlyRows() {
        return pinned.onlyRows();
    }

    /**
     * The SSTables, in the database's order.
     *
     * @param helpers open some of them in parallel to the caller, who does not depend on them
     * @param progress runs before each SSTable is opened, on any of these threads; an exception ends the opening
     * @throws StreamException as {@link #open}
     */
    public List<SSTable> sstables(Executor helpers, Runnable progress) throws IOException {
        if (!isOpen) {
            List<FutureTask<SSTable>> tasks = new ArrayList<>();
            for (Path dataFile : pinned.sstables()) {
                tasks.add(new FutureTask<>(() -> {
                    progress.run();
                    return open(dataFile);
                }));
            }
            List<SSTable> opened = new ArrayList<>();
            ParallelTasks.run(tasks, tasks, helpers, opened::add);
            sstables = List.copyOf(opened);
            isOpen = true;
        }
        return sstables;
    }

    /**
     * Opens the SSTable of a {@code Data.db} file that a database has pinned.
     *
     * @throws StreamException of code {@link ErrorCode#CORRUPT_AT_SOURCE} if it is corrupt, or
     *     {@link ErrorCode#INTERNAL} if the file name is not that of a {@code Data.db} of a supported version
     */
    public static SSTable open(Path dataFile) throws IOException {
        Descriptor.Named named = Descriptor.parse(String.valueOf(dataFile.getFileName()))
                .filter(file -> file.component() == Component.DATA)
                .orElseThrow(() -> new StreamException(
                        ErrorCode.INTERNAL,
                        "the database pinned " + dataFile
                                + " (expected: the path of a Data.db file, such as nb-1-big-Data.db)"));
        try {
            return SSTable.open(Objects.requireNonNull(dataFile.toAbsolutePath().getParent()), named.descriptor());
        } catch (SSTableException damaged) {
            throw new StreamException(ErrorCode.CORRUPT_AT_SOURCE, String.valueOf(damaged.getMessage()), damaged);
        }
    }
}
