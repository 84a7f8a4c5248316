package io.sluice.streaming.install;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node does with its staging directory when it starts: committed sets become live, others are kept for resume if
 * anything of them has landed, or removed. Whatever it cannot understand it moves to {@code quarantine/}, with a text
 * that says why: nothing there keeps a node from starting.
 */
final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);
    private static final String QUARANTINE = "quarantine";

    private final Disk disk;
    private final TableStore store;
    private final Installer installer;
    private final Abandoned abandoned;

    Recovery(Disk disk, TableStore store, Installer installer, Abandoned abandoned) {
        this.disk = disk;
        this.store = store;
        this.installer = installer;
        this.abandoned = abandoned;
    }

    void run(Path root) throws IOException {
        for (Path plan : disk.list(root)) {
            if (!disk.isDirectory(plan) || plan.getFileName().toString().equals(QUARANTINE)) {
                continue;
            }
            for (Path set : disk.list(plan)) {
                if (disk.isDirectory(set)) {
                    recover(root, set);
                } else {
                    disk.delete(set); // a prepared slice, or nothing that we know
                }
            }
            if (disk.list(plan).isEmpty()) {
                disk.delete(plan);
            }
        }
    }

    private void recover(Path root, Path set) throws IOException {
        if (hasDirectory(set)) {
            quarantine(root, set, "there are directories in it, which no set has");
        } else if (installer.isLive(set)) {
            installer.clean(set);
        } else if (installer.isCommitted(set)) {
            finish(root, set);
        } else {
            keepOrRemove(set);
        }
    }

    private boolean hasDirectory(Path set) throws IOException {
        for (Path file : disk.list(set)) {
            if (disk.isDirectory(file)) {
                return true;
            }
        }
        return false;
    }

    private void keepOrRemove(Path set) throws IOException {
        Optional<UUID> tableId = tableId(set);
        if (tableId.isPresent() && !Journal.read(disk, set, tableId.get()).isEmpty()) {
            LOG.info("recovery: set {} was not committed; what has landed of it is kept", set);
            abandoned.add(tableId.get(), set);
        } else {
            LOG.info("recovery: set {} was not committed, removing it", set);
            installer.discard(set);
        }
    }

    private static Optional<UUID> tableId(Path set) {
        try {
            return Optional.of(UUID.fromString(set.getFileName().toString()));
        } catch (IllegalArgumentException e) {
            LOG.info("recovery: {} is not named after a table", set, e);
            return Optional.empty();
        }
    }

    private void finish(Path root, Path set) throws IOException {
        Optional<CommitFile> commit = installer.readCommit(set);
        if (commit.isEmpty()) {
            quarantine(
                    root,
                    set,
                    "its commit file and the copy of it are damaged, so a committed set cannot be made live");
            return;
        }
        Optional<TableRef> table = store.table(commit.get().tableId());
        if (table.isEmpty()) {
            LOG.warn(
                    "recovery: set {} was committed for table {}, which is not known here; it is kept until it is",
                    set,
                    commit.get().tableId());
            return;
        }
        LOG.info("recovery: set {} of {} was committed, making it live", set, table.get());
        try {
            installer.rollForward(set, table.get(), commit.get());
        } catch (StreamException e) {
            if (e.code() != ErrorCode.DISCARDED) {
                throw e;
            }
            LOG.warn("recovery: set {} of {} is removed: {}", set, table.get(), e.getMessage());
        }
    }

    private void quarantine(Path root, Path set, String why) throws IOException {
        Path folder = root.resolve(QUARANTINE);
        disk.createDirectories(folder);
        Path target = folder.resolve(root.relativize(set).toString().replace('/', '-'));
        LOG.error("recovery: {} is moved to {}: {}", set, target, why);
        Path text = folder.resolve(target.getFileName() + ".txt");
        disk.delete(text);
        String note = """
                %s lay in staging when this node started, and was not understood: %s.
                Nothing of it was removed. If the table lacks data now, repair it, or copy the SSTables here into its
                folder after './sluice sstable verify' has found them whole. Then remove this file and the folder.
                """.formatted(set, why);
        disk.writeDurably(text, note.getBytes(StandardCharsets.UTF_8));
        disk.rename(set, target);
        disk.syncDirectory(folder);
    }
}
