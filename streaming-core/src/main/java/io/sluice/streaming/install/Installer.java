package io.sluice.streaming.install;

import io.sluice.sstable.component.Component;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings committed sets to life: the same steps after a commit and after a crash, each of which may find itself done
 * already. Not thread-safe for one set; different sets may be installed at the same time.
 */
final class Installer {
    private static final Logger LOG = LoggerFactory.getLogger(Installer.class);

    private final Volumes volumes;
    private final TableStore store;
    /** What the database has answered in this process, of sets that are not cleaned up yet: it is not asked twice. */
    private final Map<SetName, Answer> answers = new ConcurrentHashMap<>();

    /** @param refusal why it does not want the set; empty if it is live */
    private record Answer(CommitFile commit, Optional<StreamException> refusal, boolean isSettled) {}

    Installer(Volumes volumes, TableStore store) {
        this.volumes = volumes;
        this.store = store;
    }

    /**
     * Commits, then rolls forward; how many SSTables became live. A set that is committed already, and that the
     * database has not answered for, is only rolled forward.
     *
     * @throws StreamException also of code {@link ErrorCode#DISCARDED}: then all of it is removed
     */
    int install(StagedSet set, UUID installId) throws IOException {
        Optional<SetFolder> decided = volumes.committed(set.name());
        if (decided.isPresent() && decided.get().isLive()) {
            // the attempt before failed when it said so to the database, or cleaned up
            finish(decided.get(), set.table());
            return set.stagedCount();
        }
        if (decided.isPresent()) {
            CommitFile commit = requireCommit(decided.get());
            set.close();
            rollForward(decided.get(), set.table(), commit);
            return commit.sstables().size();
        }
        StagedSet.Committed committed;
        requireTable(set.table());
        set.requirePart();
        set.close(); // waits for those that lag behind, before the database waits for the permit
        TableStore.Permit permit = store.permit(set.planId(), installId, set.table());
        try {
            committed = set.commit(installId, permit);
            makeLive(committed.folder(), set.table(), committed.commit());
        } finally {
            permit.release();
        }
        finish(committed.folder(), set.table());
        return committed.commit().sstables().size();
    }

    private static CommitFile requireCommit(SetFolder folder) throws IOException {
        return folder.commit()
                .orElseThrow(() -> new IOException(folder + ": its commit file and the copy of it are damaged;"
                        + " recovery quarantines the set when this node starts again"));
    }

    /**
     * Rolls a set forward, if it is committed; nobody has it in use.
     *
     * @return what became live now; empty if nothing did
     */
    Optional<InstallSummary> finishCommitted(SetName name, TableRef table) throws IOException {
        Optional<SetFolder> decided = volumes.committed(name);
        if (decided.isEmpty()) {
            return Optional.empty();
        }
        SetFolder folder = decided.get();
        try {
            boolean wasLive = folder.isLive();
            if (wasLive && folder.commit().isEmpty()) {
                finish(folder, table);
                return Optional.empty();
            }
            CommitFile commit = requireCommit(folder);
            rollForward(folder, table, commit);
            if (wasLive) {
                return Optional.empty();
            }
            return Optional.of(new InstallSummary(
                    commit.sstables().size(),
                    commit.files().stream()
                            .mapToLong(CommitFile.StagedFile::lengthBytes)
                            .sum()));
        } catch (StreamException e) {
            if (e.code() != ErrorCode.DISCARDED) {
                throw e;
            }
            LOG.info("{}: {}", folder, e.getMessage());
            return Optional.empty();
        }
    }

    private boolean isGone(TableRef table) {
        return store.table(table.id()).isEmpty();
    }

    private static StreamException dropped(TableRef table) {
        return new StreamException(
                ErrorCode.DISCARDED, table + " was dropped while it was streamed; what was received of it is removed");
    }

    /**
     * Refuses to go on with a table that was dropped.
     *
     * @throws StreamException of code {@link ErrorCode#DISCARDED}
     */
    void requireTable(TableRef table) {
        if (isGone(table)) {
            throw dropped(table);
        }
    }

    /** Whether what was received of a table can be removed, since the table was dropped. */
    boolean isDropped(UUID tableId) {
        return store.table(tableId).isEmpty() && store.isDropped(tableId);
    }

    /** Volumes on which files of a set lie, and that are not here. */
    List<UUID> missing(CommitFile commit) {
        return commit.otherVolumes().stream()
                .filter(id -> volumes.find(id).isEmpty())
                .toList();
    }

    /**
     * Makes a committed set live and cleans up. Repeating it is harmless.
     *
     * @throws CorruptSetException if a file of the set is in neither place; nothing was moved then
     * @throws ActivationUnconfirmedException if the database fails
     * @throws StreamException of code {@link ErrorCode#DISCARDED} if the database does not want it; it is removed then
     */
    void rollForward(SetFolder folder, TableRef table, CommitFile commit) throws IOException {
        if (!folder.isLive()) {
            // Who wrote it may have failed, or have been killed, between the name of the file and its sync: then a loss
            // of power would take it away again, and leave in the live folder what was linked by it.
            folder.disk().publish(folder.path().resolve(CommitFile.NAME), commit.encode());
        }
        repeat(folder, table, commit);
    }

    /** The same of a set that may be live where its commit file lies, and is not everywhere. */
    void repeat(SetFolder folder, TableRef table, CommitFile commit) throws IOException {
        if (!folder.isLive() || parts(folder, commit).stream().anyMatch(SetFolder::isPending)) {
            makeLive(folder, table, commit);
        }
        finish(folder, table);
    }

    /** The folders of a set: where its commit file lies first. */
    private List<SetFolder> parts(SetFolder folder, CommitFile commit) throws IOException {
        List<SetFolder> parts = new ArrayList<>(List.of(folder));
        for (UUID id : commit.otherVolumes()) {
            parts.add(volume(folder, Optional.of(id)).folder(folder.name()));
        }
        return parts;
    }

    private StagingVolume volume(SetFolder folder, Optional<UUID> id) throws IOException {
        return volumes.find(folder.volume(), id)
                .orElseThrow(() -> new IOException(folder + ": a part of it lies on volume " + id.orElseThrow()
                        + ", which is missing; it goes live at a start at which the volume is there"));
    }

    /** Asks the database, unless it has answered, and notes the answer on each volume, whichever it was. */
    private void makeLive(SetFolder folder, TableRef table, CommitFile commit) throws IOException {
        Answer answer = answers.get(folder.name());
        if (answer == null) {
            Optional<StreamException> refusal =
                    isGone(table) ? Optional.of(dropped(table)) : ask(folder, table, commit);
            answer = new Answer(commit, refusal, false);
            answers.put(folder.name(), answer);
        }
        if (answer.refusal().isPresent() && !isGone(table)) { // else its folder is the database's to remove
            unlink(folder, table, commit);
        }
        for (SetFolder part : parts(folder, commit)) { // beside the commit file first: no part is live without it
            part.noteLive(answer.refusal().isPresent());
        }
        settle(folder, table);
    }

    /** Says to the database that its answer is durable, unless it knows. */
    private void settle(SetFolder folder, TableRef table) {
        Answer answer = answers.get(folder.name());
        if (answer != null && !answer.isSettled()) {
            store.activated(answer.commit().installId(), table);
            answers.put(folder.name(), new Answer(answer.commit(), answer.refusal(), true));
        }
    }

    /**
     * Cleans up after the answer of the database, which is durable. What fails may be repeated: the answer stays what
     * it was.
     *
     * @throws StreamException of code {@link ErrorCode#DISCARDED} if the database did not want it
     */
    private void finish(SetFolder folder, TableRef table) throws IOException {
        Answer noted = answers.get(folder.name());
        if (noted != null && !noted.isSettled()) {
            folder.disk().syncDirectory(folder.path()); // the attempt before may have failed in the sync of its name
            for (SetFolder part : parts(folder, noted.commit())) {
                if (!part.equals(folder)) {
                    part.noteLive(noted.refusal().isPresent());
                }
            }
        }
        settle(folder, table);
        clean(folder);
        Answer answer = answers.remove(folder.name());
        if (answer != null && answer.refusal().isPresent()) {
            throw answer.refusal().get();
        }
    }

    /** The folder with the commit file last. One on a volume that has failed is left to the next start. */
    void clean(SetFolder folder) throws IOException {
        for (SetFolder other : volumes.folders(folder.name())) {
            if (other.isCommitted() || !other.volume().isTrusted()) {
                continue; // itself, or an install of its own
            }
            if (other.isPart()) {
                other.clean();
            } else {
                other.discard(); // of attempts of which nothing was staged
            }
        }
        folder.clean();
    }

    private Optional<StreamException> ask(SetFolder folder, TableRef table, CommitFile commit) throws IOException {
        List<Linked> links = links(folder, table, commit);
        for (Linked file : links) {
            requireWhole(folder, file);
        }
        for (Linked file : links) {
            link(file);
        }
        for (SetFolder part : parts(folder, commit)) {
            Path live = liveDirectory(table, part.volume());
            part.disk().syncDirectory(live);
        }
        try {
            store.activate(commit.installId(), table, dataFiles(links, commit));
            return Optional.empty();
        } catch (IOException e) {
            throw new ActivationUnconfirmedException(e);
        } catch (StreamException e) {
            if (e.code() != ErrorCode.DISCARDED) {
                throw e;
            }
            return Optional.of(e);
        }
    }

    /** A file of a set under both of its names. */
    private record Linked(Disk disk, Path staged, Path target, long lengthBytes) {}

    /** In the order of the commit file, on whichever volumes. */
    private static List<Path> dataFiles(List<Linked> links, CommitFile commit) {
        Map<String, Path> byName = new HashMap<>();
        links.forEach(link -> byName.put(link.target().getFileName().toString(), link.target()));
        return commit.sstables().stream()
                .flatMap(sstable -> Optional.ofNullable(byName.get(sstable.fileName(Component.DATA))).stream())
                .toList();
    }

    private List<Linked> links(SetFolder folder, TableRef table, CommitFile commit) throws IOException {
        List<Linked> links = new ArrayList<>();
        for (SetFolder part : parts(folder, commit)) {
            Path live = liveDirectory(table, part.volume());
            Optional<UUID> id =
                    part.equals(folder) ? Optional.empty() : part.volume().id();
            for (CommitFile.StagedFile file : commit.files()) {
                if (file.volumeId().equals(id)) {
                    links.add(new Linked(
                            part.disk(),
                            part.path().resolve(file.name()),
                            live.resolve(file.name()),
                            file.lengthBytes()));
                }
            }
        }
        return links;
    }

    /** Before the answer is noted: a crash in between asks the database once more, which then says the same. */
    private void unlink(SetFolder folder, TableRef table, CommitFile commit) throws IOException {
        for (Linked file : links(folder, table, commit)) {
            file.disk().delete(file.target());
        }
        for (SetFolder part : parts(folder, commit)) {
            part.disk().syncDirectory(liveDirectory(table, part.volume()));
        }
    }

    /**
     * Takes the names of a committed set out of the live folders again, unless the database has answered for it: one
     * that opens the table now, and was not notified of them, would find them there, also if it was truncated
     * meanwhile.
     */
    void takeBack(SetFolder folder, TableRef table) throws IOException {
        if (folder.isLive() || answers.containsKey(folder.name())) {
            return;
        }
        Path live = liveDirectory(table, folder.volume());
        for (String name : folder.components()) { // TOC first: a table without is no table
            folder.disk().delete(live.resolve(name));
        }
        folder.disk().syncDirectory(live);
    }

    /**
     * Brings the parts of a set to what one of them says that the database has answered: some volumes of it may be
     * missing, and those that are here must not differ.
     */
    void spread(SetFolder noted, List<SetFolder> parts, TableRef table) throws IOException {
        boolean isRefused = noted.isRefused();
        for (SetFolder part : parts) {
            Optional<CommitPart> own = part.part();
            if (!part.isPending() || own.isEmpty()) {
                continue;
            }
            Path live = liveDirectory(table, part.volume());
            for (String name : own.get().files()) {
                if (isRefused) {
                    part.disk().delete(live.resolve(name));
                } else {
                    link(new Linked(part.disk(), part.path().resolve(name), live.resolve(name), 0));
                }
            }
            part.disk().syncDirectory(live);
            part.noteLive(isRefused);
        }
    }

    private Path liveDirectory(TableRef table, StagingVolume volume) throws IOException {
        try {
            return store.liveDirectory(table, volume.spec());
        } catch (IOException e) {
            throw new ActivationUnconfirmedException(e);
        }
    }

    /** Looked at before any of them is linked: a part of a set is never live. */
    private static void requireWhole(SetFolder folder, Linked link) throws IOException {
        Disk disk = link.disk();
        Path file = disk.exists(link.target()) ? link.target() : link.staged(); // linked before a crash, or not
        if (!disk.exists(file)) {
            throw new CorruptSetException(link.staged() + " is gone, and " + link.target()
                    + " is not there either, by the commit" + " file in " + folder + "; nothing was moved");
        }
        if (disk.size(file) != link.lengthBytes()) {
            throw new CorruptSetException(file + ": " + disk.size(file) + " bytes (expected: " + link.lengthBytes()
                    + " by the commit file in " + folder + "); nothing was moved");
        }
    }

    private static void link(Linked file) throws IOException {
        try {
            file.disk().link(file.target(), file.staged());
        } catch (IOException e) {
            if (!file.disk().exists(file.target())) { // else it was linked before a crash
                throw e;
            }
        }
    }
}
