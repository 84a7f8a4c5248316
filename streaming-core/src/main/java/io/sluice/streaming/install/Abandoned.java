package io.sluice.streaming.install;

import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sets of transfers that broke off: kept, within limits, so that the next attempt need not begin at the start.
 * Thread-safe.
 */
final class Abandoned {
    private static final Logger LOG = LoggerFactory.getLogger(Abandoned.class);
    /** Of what the volume has left: what is kept in hope must not hinder what is needed. */
    private static final int MAX_SHARE = 10;

    private final Disk disk;
    private final Path root;
    private final Installer installer;
    private final List<Kept> sets = new ArrayList<>();

    private record Kept(UUID tableId, Path directory, long bytes, long modifiedMillis) {}

    Abandoned(Disk disk, Path root, Installer installer) {
        this.disk = disk;
        this.root = root;
        this.installer = installer;
    }

    /** Keeps a set; the oldest go if it becomes too much. */
    synchronized void add(UUID tableId, Path directory) throws IOException {
        long bytes = 0;
        for (Path file : disk.list(directory)) {
            bytes += disk.size(file);
        }
        sets.add(new Kept(tableId, directory, bytes, disk.modifiedMillis(directory.resolve(Journal.NAME))));
        sets.sort(Comparator.comparingLong(Kept::modifiedMillis));
        while (bytes() > (disk.usableBytes(root) + bytes()) / MAX_SHARE && sets.size() > 1) {
            remove(sets.get(0));
        }
    }

    private void remove(Kept set) throws IOException {
        LOG.info("{}: {} bytes of a transfer that broke off are removed, to make room", set.directory(), set.bytes());
        sets.remove(set);
        installer.discard(set.directory());
        removeIfEmpty(parentOf(set.directory()));
    }

    /** Renames the newest kept set of a table, if there is one, to {@code directory}, which does not exist. */
    synchronized void adopt(TableRef table, Path directory) throws IOException {
        for (int i = sets.size() - 1; i >= 0; i--) {
            Kept set = sets.get(i);
            if (set.tableId().equals(table.id())) {
                sets.remove(i);
                if (!set.directory().equals(directory)) {
                    disk.rename(set.directory(), directory);
                    disk.syncDirectory(parentOf(directory));
                    removeIfEmpty(parentOf(set.directory()));
                }
                LOG.info("{}: {} bytes of {} have landed before and are used", directory, set.bytes(), table);
                return;
            }
        }
    }

    private void removeIfEmpty(Path plan) throws IOException {
        if (disk.list(plan).isEmpty()) {
            disk.delete(plan);
        }
    }

    private static Path parentOf(Path directory) {
        return directory.resolveSibling(".").normalize();
    }

    synchronized long bytes() {
        return sets.stream().mapToLong(Kept::bytes).sum();
    }
}
