package io.sluice.streaming.install;

import io.sluice.sstable.component.Component;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node does with its staging directory when it starts: committed sets become live, others are kept for resume if
 * anything of them has landed, or removed. Whatever it cannot understand it moves to {@code quarantine/}, with a text
 * that says why. A set for which the database fails stays committed for the next start; if it fails when it is notified
 * of the files, they leave the live folder. Nothing there keeps a node from starting.
 */
final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);
    private static final String QUARANTINE = "quarantine";

    private final Disk disk;
    private final TableStore store;
    private final Installer installer;
    private final AbandonedSets abandoned;
    private final List<RecoveryReport.Finding> findings = new ArrayList<>();
    private final VirtualMachineErrors fatal = new VirtualMachineErrors();

    Recovery(Disk disk, TableStore store, Installer installer, AbandonedSets abandoned) {
        this.disk = disk;
        this.store = store;
        this.installer = installer;
        this.abandoned = abandoned;
    }

    /** What lies there is another node's: all of it is put aside, and none of it used. */
    void putAside(Path root, String why) throws IOException {
        for (Path entry : disk.list(root)) {
            if (disk.isDirectory(entry) && !isQuarantine(entry)) {
                quarantine(root, entry, why);
            }
        }
        disk.delete(root.resolve(Epochs.NAME)); // what that node was told binds that node
    }

    private static boolean isQuarantine(Path entry) {
        return entry.getFileName().toString().equals(QUARANTINE);
    }

    RecoveryReport run(Path root) throws IOException {
        for (Path plan : disk.list(root)) {
            if (!disk.isDirectory(plan) || isQuarantine(plan)) {
                continue;
            }
            for (Path set : disk.list(plan)) {
                if (disk.isDirectory(set)) {
                    LogKeys.Scope scope = keysOf(plan, set).enter();
                    try {
                        tryToRecover(root, set);
                    } finally {
                        scope.leave();
                    }
                } else {
                    disk.delete(set); // a prepared slice, or nothing that we know
                }
            }
            if (disk.list(plan).isEmpty()) {
                disk.delete(plan);
            }
        }
        fatal.handOn();
        return new RecoveryReport(findings);
    }

    /** Sets lie in a folder of their plan, and are named after the id of their table. */
    private static LogKeys keysOf(Path plan, Path set) {
        return new LogKeys(
                plan.getFileName().toString(), null, set.getFileName().toString());
    }

    /** What the database throws ends nothing but the work on this set, of which nothing is removed. */
    private void tryToRecover(Path root, Path set) throws IOException {
        try {
            recover(root, set);
        } catch (ActivationUnconfirmedException | StreamException e) {
            fatal.note(e);
            LOG.error("recovery: {}: the database failed", set, e);
            found(
                    set,
                    RecoveryReport.Decision.WAITING,
                    (installer.isCommitted(set) ? "it is committed, and stays so" : "it is kept")
                            + " until a start at which the database does not fail: " + e.getMessage());
        }
    }

    private void found(Path set, RecoveryReport.Decision decision, String reason) {
        findings.add(new RecoveryReport.Finding(set, decision, reason));
        LOG.info("recovery: {} {}: {}", decision, set, reason);
    }

    private void recover(Path root, Path set) throws IOException {
        if (hasDirectory(set)) {
            quarantine(root, set, "there are directories in it, which no set has");
        } else if (installer.isLive(set)) {
            installer.clean(set);
            found(set, RecoveryReport.Decision.CLEANED, "it is live");
        } else if (installer.isCommitted(set)) {
            finish(root, set);
        } else {
            keepOrRemove(root, set);
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

    private void keepOrRemove(Path root, Path set) throws IOException {
        Optional<UUID> tableId = tableId(set);
        List<Journal.Entry> journal =
                tableId.isPresent() ? Journal.read(disk, set, tableId.get()) : List.<Journal.Entry>of();
        Optional<Path> live = liveFile(tableId, journal);
        if (tableId.isPresent() && installer.isDropped(tableId.get())) {
            installer.discard(set);
            found(set, RecoveryReport.Decision.DISCARDED, "its table was dropped");
        } else if (live.isPresent()) {
            quarantine(root, set, "its commit file is gone, and yet " + live.get() + " of it is live");
        } else if (tableId.isPresent() && !journal.isEmpty()) {
            abandoned.add(tableId.get(), set);
            found(set, RecoveryReport.Decision.KEPT, "it was not committed; what has landed of it is kept");
        } else {
            installer.discard(set);
            found(set, RecoveryReport.Decision.REMOVED, "it was not committed, and nothing of it has landed");
        }
    }

    /** A file under a name that was drawn for this set: nobody but its install can have made it. */
    private Optional<Path> liveFile(Optional<UUID> tableId, List<Journal.Entry> journal) throws IOException {
        Optional<TableRef> table = tableId.isEmpty() ? Optional.empty() : store.table(tableId.get());
        if (table.isEmpty()) {
            return Optional.empty();
        }
        Path folder = store.liveDirectory(table.get());
        for (Journal.Entry entry : journal) {
            if (entry instanceof Journal.Entry.Begun begun) {
                Path data = folder.resolve(begun.descriptor().fileName(Component.DATA));
                if (disk.exists(data)) {
                    return Optional.of(data);
                }
            }
        }
        return Optional.empty();
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
        if (installer.isDropped(commit.get().tableId())) {
            installer.clean(set); // the commit file last: a crash comes here again
            found(set, RecoveryReport.Decision.DISCARDED, "it was committed, and its table was dropped since");
            return;
        }
        if (table.isEmpty()) {
            found(
                    set,
                    RecoveryReport.Decision.WAITING,
                    "it was committed for table " + commit.get().tableId()
                            + ", which is not known here; it is kept until it is");
            return;
        }
        try {
            installer.rollForward(set, table.get(), commit.get());
            found(set, RecoveryReport.Decision.FINISHED, table.get() + " has it live now");
        } catch (CorruptSetException e) {
            quarantine(root, set, "it was committed, and cannot be made live: " + e.getMessage());
        } catch (StreamException e) {
            if (e.code() != ErrorCode.DISCARDED) {
                takeBack(set, table.get(), commit.get(), e);
                throw e;
            }
            found(set, RecoveryReport.Decision.DISCARDED, String.valueOf(e.getMessage()));
        } catch (ActivationUnconfirmedException e) {
            takeBack(set, table.get(), commit.get(), e);
            throw e;
        }
    }

    /** The disk that fails then ends the start, and says what the database had failed with. */
    private void takeBack(Path set, TableRef table, CommitFile commit, Exception unanswered) throws IOException {
        try {
            installer.takeBack(set, table, commit);
        } catch (IOException | RuntimeException e) {
            if (e != unanswered) { // a database may throw the same object again
                e.addSuppressed(unanswered);
            }
            throw e;
        }
    }

    private void quarantine(Path root, Path set, String why) throws IOException {
        Path folder = root.resolve(QUARANTINE);
        disk.createDirectories(folder);
        String name = root.relativize(set).toString().replace('/', '-');
        Path target = folder.resolve(name);
        for (int i = 2; disk.exists(target); i++) { // the same plan, put aside at an earlier start
            target = folder.resolve(name + "-" + i);
        }
        LOG.error("recovery: {} is moved to {}: {}", set, target, why);
        Path text = folder.resolve(target.getFileName() + ".txt");
        disk.delete(text);
        String note = """
                %s lay in staging when this node started, and was not understood: %s.
                Nothing of it was removed. If the table lacks data now, repair it, or copy the SSTables here into its
                folder after './sluice sstable verify' has found them whole. Then remove this file and the folder.
                """.formatted(set, why);
        disk.writeDurably(text, note.getBytes(StandardCharsets.UTF_8));
        findings.add(new RecoveryReport.Finding(set, RecoveryReport.Decision.QUARANTINED, why));
        disk.rename(set, target);
        disk.syncDirectory(folder);
    }
}
