package io.sluice.streaming.install;

import io.sluice.sstable.component.Component;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import io.sluice.streaming.store.TableStore.RecoveryReport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recovers the staging directories of a node when it starts: committed sets become live; others are retained for resume
 * if any extent was received, or removed. Unreadable sets, and what this node did not make, are moved to
 * {@code quarantine/}, with a text that explains why. If the database or the file system fails for a set, the set stays
 * as it is for the next start; unless it is live, its files are removed from the live folder. So does what is no set
 * and cannot be moved or removed. Nothing in staging prevents a node from starting, unless files of a set that is not
 * live stay in a live folder, or that cannot be known. An interruption of the thread ends the start and decides
 * nothing: the next start finds every set in its place. Long because all that a set may be found in is decided here.
 *
 * <p>A set may be on several volumes: recovery begins when all usable volumes are open. A set with a part on a missing
 * volume waits, without files in a live folder, unless it was already live on every volume.
 */
final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);
    private static final String QUARANTINE = "quarantine";
    private static final String FOREIGN = "this node did not make it (expected: folders named after a plan, and in them"
            + " folders named after a table)";

    private final Volumes volumes;
    private final TableStore store;
    private final Installer installer;
    private final List<RecoveryReport.Finding> findings = new ArrayList<>();
    private final Set<SetName> undecided = new LinkedHashSet<>();
    private final VirtualMachineErrors fatal = new VirtualMachineErrors();

    Recovery(Volumes volumes, TableStore store, Installer installer) {
        this.volumes = volumes;
        this.store = store;
        this.installer = installer;
    }

    /** The volume belongs to another node: quarantines its whole content. */
    void putAside(StagingVolume volume, String why) throws IOException {
        for (Path entry : volume.entries()) {
            if (!volume.disk().isDirectory(entry) || isQuarantine(entry)) {
                continue;
            }
            if (isId(entry.getFileName().toString())) {
                quarantine(volume, entry, why); // or this node would finish its sets
            } else {
                ifPossible(volume, entry, root -> quarantine(root, entry, why));
            }
        }
        volume.disk().delete(volume.root().resolve(Epochs.NAME)); // its epochs apply to that node only
    }

    private static boolean isQuarantine(Path entry) {
        return entry.getFileName().toString().equals(QUARANTINE);
    }

    /** Recovers every volume; returns what it found and did. */
    RecoveryReport run() throws IOException {
        Set<SetName> done = new HashSet<>();
        for (StagingVolume volume : volumes.all()) {
            run(volume, done);
        }
        fatal.handOn();
        return new RecoveryReport(findings);
    }

    /**
     * Sets that wait for a missing volume, or of which the disk does not say whether they are committed: nothing else
     * may be received into their folders.
     */
    Set<SetName> undecided() {
        return undecided;
    }

    private void run(StagingVolume volume, Set<SetName> done) throws IOException {
        Disk disk = volume.disk();
        for (Path entry : volume.entries()) {
            String name = entry.getFileName().toString();
            if (!disk.isDirectory(entry) || isQuarantine(entry)) {
                continue;
            }
            if (isId(name)) {
                runPlan(volume, entry, done);
            } else if (name.startsWith(StagingArea.SLICES)) {
                ifPossible(volume, entry, root -> disk.deleteTree(entry));
            } else {
                ifPossible(volume, entry, root -> quarantine(root, entry, FOREIGN));
            }
        }
    }

    private void runPlan(StagingVolume volume, Path plan, Set<SetName> done) throws IOException {
        for (Path set : volume.disk().list(plan)) {
            SetName name =
                    new SetName(plan.getFileName().toString(), set.getFileName().toString());
            if (!isId(name.table())) {
                ifPossible(volume, set, root -> quarantine(root, set, FOREIGN));
            } else if (!volume.disk().isDirectory(set)) {
                quarantine(volume, set, FOREIGN); // if that is impossible: a set in a folder that cannot be entered?
            } else if (done.add(name)) {
                LogKeys.Scope scope = new LogKeys(name.plan(), null, name.table()).enter();
                try {
                    tryToRecover(name);
                } finally {
                    scope.leave();
                }
            }
        }
        ifPossible(volume, plan, root -> root.endPlan(plan.getFileName().toString()));
    }

    /**
     * Moves or removes what is no set, so that no live folder has a file of it: if that fails, it stays.
     *
     * @throws IOException if a volume has failed, or this thread is interrupted
     */
    private void ifPossible(StagingVolume volume, Path entry, Volumes.Step step) throws IOException {
        try {
            step.on(volume);
        } catch (IOException e) {
            throwIfStartIsOver(e);
            LOG.warn("recovery: {} stays: {}", entry, e.getMessage(), e);
            found(
                    entry,
                    RecoveryReport.Decision.WAITING,
                    "it is no set, and stays until a start at which the disk does not fail: " + e.getMessage());
        }
    }

    /**
     * @throws IOException {@code why}, if a volume has failed: the node starts again without it, if there are others;
     *     or if this thread is interrupted, so that it can use no file: that says nothing about the set
     */
    private void throwIfStartIsOver(IOException why) throws IOException {
        if (volumes.trusted().size() < volumes.all().size()
                || Thread.currentThread().isInterrupted()) {
            throw why;
        }
    }

    /** Whether this node can have named a folder so: after a plan or a table. */
    private static boolean isId(String name) {
        return name.matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    }

    /**
     * Recovers one set. An exception of the database or of a file system ends only the recovery of this set, and
     * removes nothing of it.
     *
     * @throws IOException if a volume has failed, if this thread is interrupted, or if files of a set that is not live
     *     stay in a live folder
     */
    private void tryToRecover(SetName name) throws IOException {
        try {
            recoverOrTakeBack(name);
        } catch (ActivationUnconfirmedException | StreamException e) {
            fatal.note(e);
            waitForNextStart(name, "the database", e);
        }
    }

    private void recoverOrTakeBack(SetName name) throws IOException {
        try {
            recover(name);
        } catch (ActivationUnconfirmedException e) {
            throw e;
        } catch (IOException e) {
            throwIfStartIsOver(e);
            takeBackVisible(name, e);
            if (volumes.committed(name).isEmpty()) {
                undecided.add(name); // an unread folder may be a part of a commit
            }
            waitForNextStart(name, "the disk", e);
        }
    }

    private void waitForNextStart(SetName name, String who, Exception why) {
        SetFolder folder = volumes.committed(name)
                .or(() -> volumes.folders(name).stream().findFirst())
                .orElseGet(() -> volumes.first().folder(name));
        LOG.error("recovery: {}: {} failed", folder, who, why);
        found(
                folder,
                RecoveryReport.Decision.WAITING,
                state(installer.outlook(name)) + " until a start at which " + who + " does not fail: "
                        + why.getMessage());
    }

    private static String state(Outlook outlook) {
        return switch (outlook) {
            case IS_LIVE -> "the set is live, and its folder stays";
            case IS_REFUSED -> "the database has refused the set, and its folder stays";
            case GOES_LIVE -> "the set stays committed";
            case MAY_BE_COMMITTED, NOT_COMMITTED -> "the set is retained";
        };
    }

    /** @throws IOException if files of the set are in a live folder and cannot be removed */
    private void takeBackVisible(SetName name, IOException why) throws IOException {
        List<SetFolder> folders = volumes.folders(name);
        if (folders.stream().anyMatch(SetFolder::isLive)) {
            return; // all its files were linked before this was noted
        }
        for (SetFolder folder : folders) {
            Optional<TableRef> table = folder.tableId().flatMap(store::table);
            if (table.isPresent() && (folder.isCommitted() || folder.isPart())) {
                takeBackVisible(folder, table.get(), why);
            }
        }
    }

    private void takeBackVisible(SetFolder folder, TableRef table, IOException why) throws IOException {
        try {
            installer.takeBack(folder, table);
        } catch (IOException e) {
            if (installer.isVisible(folder, table)) {
                e.addSuppressed(why);
                throw e;
            }
            LOG.warn("recovery: {}: none of its files is in the live folder: {}", folder, e.getMessage(), e);
        }
    }

    private void found(SetFolder set, RecoveryReport.Decision decision, String reason) {
        found(set.path(), decision, reason);
    }

    private void found(Path path, RecoveryReport.Decision decision, String reason) {
        findings.add(new RecoveryReport.Finding(path, decision, reason));
        LOG.info("recovery: {} {}: {}", decision, path, reason);
    }

    private void recover(SetName name) throws IOException {
        for (SetFolder folder : volumes.folders(name)) {
            if (folder.hasDirectory()) {
                quarantine(folder, "it contains directories (expected: files only)");
            }
        }
        List<SetFolder> committed =
                volumes.folders(name).stream().filter(SetFolder::isCommitted).toList();
        for (SetFolder folder : committed) {
            recoverCommitted(folder);
        }
        Map<UUID, List<SetFolder>> waiting = new LinkedHashMap<>();
        for (SetFolder folder : volumes.folders(name)) {
            if (folder.isCommitted() || isDecided(committed, folder)) {
                continue;
            }
            Optional<CommitPart> part = folder.part();
            if (part.isPresent() && volumes.find(part.get().volumeId()).isEmpty()) {
                waiting.computeIfAbsent(part.get().installId(), install -> new ArrayList<>())
                        .add(folder);
            } else {
                recoverPart(folder, part.isPresent());
            }
        }
        for (List<SetFolder> parts : waiting.values()) {
            waitForCommitFile(parts);
        }
    }

    private static boolean isDecided(List<SetFolder> committed, SetFolder folder) throws IOException {
        for (SetFolder other : committed) {
            if (isPartOf(other, folder)) {
                return true;
            }
        }
        return false;
    }

    private void recoverCommitted(SetFolder folder) throws IOException {
        Optional<CommitFile> commit = folder.isLive() && volumes.isAlone() ? Optional.empty() : folder.commit();
        List<UUID> missing = commit.map(installer::missing).orElse(List.of());
        if (!missing.isEmpty()) {
            List<SetFolder> parts = new ArrayList<>();
            for (SetFolder part : volumes.folders(folder.name())) {
                if (isPartOf(folder, part)) {
                    parts.add(part);
                }
            }
            agree(folder.isLive() ? Optional.of(folder) : Optional.empty(), folder, parts);
            foundWaiting(
                    folder,
                    "it was committed" + (folder.isLive() ? ", and is live" : "") + ", and volume " + missing
                            + " of the set is missing");
        } else if (folder.isLive()
                && commit.map(known -> isLiveEverywhere(folder, known)).orElse(true)) {
            installer.clean(folder);
            found(folder, RecoveryReport.Decision.CLEANED, "it is live");
        } else {
            finish(folder, commit);
        }
    }

    private boolean isLiveEverywhere(SetFolder folder, CommitFile commit) {
        return commit.otherVolumes().stream()
                .flatMap(id -> volumes.find(id).stream())
                .map(volume -> volume.folder(folder.name()))
                .noneMatch(SetFolder::isPending);
    }

    /** Whether {@code committed} still exists, and {@code folder} is a part of it. */
    private static boolean isPartOf(SetFolder committed, SetFolder folder) throws IOException {
        Optional<CommitPart> part = folder.part();
        Optional<CommitFile> commit = committed.commit();
        return part.isPresent()
                && commit.isPresent()
                && commit.get().installId().equals(part.get().installId());
    }

    /** Recovers a folder without a commit file; all volumes are present. */
    private void recoverPart(SetFolder folder, boolean isReadable) throws IOException {
        if (!folder.isPart()) {
            keepOrRemove(folder);
        } else if (!isReadable) {
            quarantine(folder, "the file that names the volume of its commit file is corrupt");
        } else if (folder.isLive()) {
            folder.clean();
            found(folder, RecoveryReport.Decision.CLEANED, "it is live");
        } else {
            folder.forgetPart();
            keepOrRemove(folder);
        }
    }

    /**
     * The note that a set is live is written beside the commit file first: if any volume has it, the set is decided.
     */
    private void waitForCommitFile(List<SetFolder> parts) throws IOException {
        Optional<SetFolder> noted = parts.stream().filter(SetFolder::isLive).findFirst();
        agree(noted, parts.get(0), parts);
        for (SetFolder part : parts) {
            foundWaiting(
                    part,
                    "its commit file is on a missing volume, "
                            + part.part().orElseThrow().volumeId());
        }
    }

    /**
     * Makes all present parts of a set live, or none: links of an interrupted install are removed from the live
     * folders, unless the answer of the database is noted.
     */
    private void agree(Optional<SetFolder> noted, SetFolder any, List<SetFolder> parts) throws IOException {
        undecided.add(any.name());
        Optional<TableRef> table = any.tableId().flatMap(store::table);
        if (table.isEmpty()) {
            return;
        }
        if (noted.isPresent()) {
            installer.spread(noted.get(), parts, table.get());
            return;
        }
        installer.takeBack(any, table.get());
        for (SetFolder part : parts) {
            installer.takeBack(part, table.get());
        }
    }

    private void foundWaiting(SetFolder folder, String why) {
        found(
                folder,
                RecoveryReport.Decision.WAITING,
                why + "; it waits for a start at which the volume is present; if the volume is lost, remove this folder"
                        + " and repair the table");
    }

    private void keepOrRemove(SetFolder set) throws IOException {
        Optional<UUID> tableId = set.tableId();
        Journal.Contents read;
        try {
            read = tableId.isPresent()
                    ? Journal.read(set.disk(), set.path(), tableId.get())
                    : new Journal.Contents(List.of(), Optional.empty());
        } catch (IOException badSector) { // what is staged can be fetched again
            throwIfStartIsOver(badSector);
            quarantine(set, "its journal cannot be read: " + badSector.getMessage());
            return;
        }
        List<Journal.Entry> journal = read.entries();
        Optional<Path> live = liveFile(set.volume(), tableId, journal);
        if (tableId.isPresent() && installer.isDropped(tableId.get())) {
            set.discard();
            found(set, RecoveryReport.Decision.DISCARDED, "its table was dropped");
        } else if (live.isPresent()) {
            quarantine(set, "its commit file is missing, but its file " + live.get() + " is live");
        } else if (tableId.isPresent() && !journal.isEmpty()) {
            keep(set, tableId.get());
        } else {
            String why = useless(set, read);
            set.discard();
            found(set, RecoveryReport.Decision.REMOVED, "it was not committed, and " + why);
        }
    }

    private void keep(SetFolder set, UUID tableId) throws IOException {
        found(set, RecoveryReport.Decision.KEPT, "it was not committed; its received extents are retained");
        for (Path removed : set.volume().abandoned().add(tableId, set.path())) {
            findings.replaceAll(finding -> finding.path().equals(removed)
                    ? new RecoveryReport.Finding(
                            removed,
                            RecoveryReport.Decision.REMOVED,
                            "it was not committed, and its received extents are removed to free space")
                    : finding);
        }
    }

    /** Why another attempt can use nothing of a set: without its journal its files are fetched again. */
    private static String useless(SetFolder set, Journal.Contents journal) throws IOException {
        if (journal.end().isPresent()) {
            return "its journal is unreadable: " + journal.end().get().getMessage();
        }
        return set.components().isEmpty() ? "nothing of it was received" : "it has no journal of what was received";
    }

    /** A live file with an id that was reserved for this set: only its install can have created it. */
    private Optional<Path> liveFile(StagingVolume volume, Optional<UUID> tableId, List<Journal.Entry> journal)
            throws IOException {
        Optional<TableRef> table = tableId.isEmpty() ? Optional.empty() : store.table(tableId.get());
        if (table.isEmpty()) {
            return Optional.empty();
        }
        Path folder = installer.liveDirectory(table.get(), volume);
        for (Journal.Entry entry : journal) {
            if (entry instanceof Journal.Entry.Begun begun) {
                Path data = folder.resolve(begun.descriptor().fileName(Component.DATA));
                if (volume.disk().exists(data)) {
                    return Optional.of(data);
                }
            }
        }
        return Optional.empty();
    }

    private void finish(SetFolder set, Optional<CommitFile> read) throws IOException {
        if (read.isEmpty()) {
            String why = "its commit file and the copy are corrupt, so the committed set cannot become live";
            Optional<TableRef> known = set.tableId().flatMap(store::table);
            if (known.isPresent()) {
                takeBack(set, known.get(), new CorruptSetException(why));
            }
            quarantineAll(set, why);
            return;
        }
        CommitFile commit = read.get();
        Optional<TableRef> table = store.table(commit.tableId());
        if (installer.isDropped(commit.tableId())) {
            installer.clean(set); // the commit file last: after a crash this step is repeated
            found(set, RecoveryReport.Decision.DISCARDED, "it was committed, but its table was dropped");
            return;
        }
        if (table.isEmpty()) {
            found(
                    set,
                    RecoveryReport.Decision.WAITING,
                    "it was committed for table " + commit.tableId()
                            + ", which is unknown here; it waits until the table is known");
            return;
        }
        try {
            installer.rollForward(set, table.get(), commit);
            found(set, RecoveryReport.Decision.FINISHED, table.get() + " is live now");
        } catch (CorruptSetException e) {
            takeBack(set, table.get(), e);
            quarantineAll(set, "it was committed, but cannot become live: " + e.getMessage());
        } catch (StreamException e) {
            if (e.code() != ErrorCode.DISCARDED) {
                takeBack(set, table.get(), e);
                throw e;
            }
            found(set, RecoveryReport.Decision.DISCARDED, String.valueOf(e.getMessage()));
        } catch (ActivationUnconfirmedException e) {
            takeBack(set, table.get(), e);
            throw e;
        }
    }

    /** Removes the live names of a set; a failure of the disk has the earlier one as a suppressed exception. */
    private void takeBack(SetFolder set, TableRef table, Exception unanswered) throws IOException {
        try {
            if (!set.isLive()) {
                for (SetFolder part : volumes.folders(set.name())) {
                    installer.takeBack(part, table);
                }
            }
        } catch (IOException | RuntimeException e) {
            if (e != unanswered) { // the database may throw the same object again
                e.addSuppressed(unanswered);
            }
            throw e;
        }
    }

    /**
     * Quarantines all folders of a set, the one with the commit file last: without it, the others have another meaning.
     */
    private void quarantineAll(SetFolder committed, String why) throws IOException {
        for (SetFolder part : volumes.folders(committed.name())) {
            if (!part.equals(committed) && part.isPart()) {
                quarantine(part, why);
            }
        }
        quarantine(committed, why);
    }

    private void quarantine(SetFolder set, String why) throws IOException {
        quarantine(set.volume(), set.path(), why);
    }

    private void quarantine(StagingVolume volume, Path set, String why) throws IOException {
        Disk disk = volume.disk();
        Path folder = volume.root().resolve(QUARANTINE);
        disk.createDirectories(folder);
        String name = volume.root().relativize(set).toString().replace('/', '-');
        Path target = folder.resolve(name);
        for (int i = 2; disk.exists(target); i++) { // the same set was quarantined at an earlier start
            target = folder.resolve(name + "-" + i);
        }
        Path text = folder.resolve(target.getFileName() + ".txt");
        disk.delete(text);
        String note = """
                %s lay in staging when this node started, and was not understood: %s.
                Nothing of it was removed. If the table lacks data now, repair it, or copy the SSTables here into its
                folder after './sluice sstable verify' has found them whole. Then remove this file and the folder.
                """.formatted(set, why);
        try {
            disk.writeDurably(text, note.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) { // the log and the report have the reason, too
            LOG.warn("recovery: cannot write {}: {}", text, e.getMessage(), e);
        }
        disk.rename(set, target);
        LOG.error("recovery: quarantined {} as {}: {}", set, target, why);
        findings.add(new RecoveryReport.Finding(set, RecoveryReport.Decision.QUARANTINED, why));
        disk.syncDirectory(folder);
    }
}
