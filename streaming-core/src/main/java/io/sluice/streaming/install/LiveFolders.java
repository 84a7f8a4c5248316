package io.sluice.streaming.install;

import io.sluice.streaming.StreamException;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The live folders of the tables that are known at the start, and the check that none is in a staging directory: what
 * recovery does not know there, it removes. Immutable.
 */
final class LiveFolders {
    private static final Logger LOG = LoggerFactory.getLogger(LiveFolders.class);

    private final List<LiveFolder> folders;

    /** The live folder of a table on one volume. */
    record LiveFolder(TableRef table, StagingVolume volume, Path path) {}

    private LiveFolders(List<LiveFolder> folders) {
        this.folders = folders;
    }

    /** Asks the database; logs its failures, which prevent neither other tables nor the start. */
    static LiveFolders ask(TableStore store, List<StagingVolume> volumes) {
        List<LiveFolder> folders = new ArrayList<>();
        VirtualMachineErrors fatal = new VirtualMachineErrors();
        try {
            for (TableRef table : store.knownTables()) {
                for (StagingVolume volume : volumes) {
                    try {
                        folders.add(new LiveFolder(table, volume, store.liveDirectory(table, volume.spec())));
                    } catch (IOException | StreamException e) {
                        fatal.note(e);
                        LogKeys.current().withTable(table).run(() -> LOG.error("{}: {}", table, e.getMessage(), e));
                    }
                }
            }
        } catch (StreamException e) {
            fatal.note(e);
            LOG.error("cannot check whether tables can be installed: {}", e.getMessage(), e);
        }
        fatal.handOn();
        return new LiveFolders(List.copyOf(folders));
    }

    /**
     * Checks and logs whether files can be linked from staging; a failure prevents nothing.
     *
     * @throws IOException if this thread is interrupted, so that it can check nothing
     */
    void probe() throws IOException {
        for (LiveFolder folder : folders) {
            StagingVolume volume = folder.volume();
            try {
                DirectoryProbe.live(volume.disk(), volume.root(), folder.path());
            } catch (IOException e) {
                if (Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                LogKeys.current()
                        .withTable(folder.table())
                        .run(() -> LOG.error("{}: {}", folder.table(), e.getMessage(), e));
            }
        }
    }

    /** @throws IOException if a live folder is a staging directory, or inside one */
    void requireApart(List<TableStore.Volume> volumes) throws IOException {
        for (LiveFolder folder : folders) {
            for (TableStore.Volume volume : volumes) {
                if (real(folder.path()).startsWith(real(volume.stagingDirectory()))) {
                    throw new IOException(
                            "the live folder " + folder.path() + " of " + folder.table()
                                    + " is inside staging directory " + volume.stagingDirectory()
                                    + " (expected: outside, since what is not known in staging is removed); nothing was removed");
                }
            }
        }
    }

    /** @throws IOException if a staging directory is inside another */
    static void requireStagingApart(List<TableStore.Volume> volumes) throws IOException {
        for (TableStore.Volume outer : volumes) {
            for (TableStore.Volume inner : volumes) {
                if (!inner.equals(outer) && real(inner.stagingDirectory()).startsWith(real(outer.stagingDirectory()))) {
                    throw new IOException("staging directory " + inner.stagingDirectory() + " is inside "
                            + outer.stagingDirectory() + ", another one (expected: beside it); nothing was removed");
                }
            }
        }
    }

    /** The path without symbolic links, as far as it exists. */
    private static Path real(Path path) {
        Path whole = path.toAbsolutePath().normalize();
        Path existing = whole;
        while (existing.getParent() != null && !Files.exists(existing)) {
            existing = existing.getParent();
        }
        try {
            return existing.toRealPath().resolve(existing.relativize(whole));
        } catch (IOException e) { // whoever uses the path meets the failure
            return whole;
        }
    }
}
