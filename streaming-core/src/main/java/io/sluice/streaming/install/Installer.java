package io.sluice.streaming.install;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.log.SystemError;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Installs staged sets: the steps are the same after a commit and after a crash, and each is idempotent. Not
 * thread-safe for one set; different sets may be installed concurrently. Long because the steps of an install, and
 * their repetition and withdrawal after a crash, are kept side by side.
 */
final class Installer {
    private static final Logger LOG = LoggerFactory.getLogger(Installer.class);

    private final Volumes volumes;
    private final TableStore store;
    /** The answers of the database in this process for sets that are not cleaned up yet: it is not asked twice. */
    private final Map<SetName, Answer> answers = new ConcurrentHashMap<>();

    private final WholeSets whole = new WholeSets();

    /** @param refusal why the database rejected the set; empty if it is live */
    private record Answer(CommitFile commit, Optional<StreamException> refusal, boolean isSettled) {}

    Installer(Volumes volumes, TableStore store) {
        this.volumes = volumes;
        this.store = store;
    }

    /**
     * Commits a set and rolls it forward; returns the number of SSTables that became live. A committed set without an
     * answer of the database is only rolled forward.
     *
     * @throws StreamException also of code {@link ErrorCode#DISCARDED}: then the set is removed
     */
    int install(StagedSet set, UUID installId) throws IOException {
        Optional<SetFolder> decided = volumes.committed(set.name());
        if (decided.isPresent() && decided.get().isLive()) {
            // the previous attempt failed in the notification of the database, or in the cleanup
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
        set.close(); // waits for lagging sessions before the database has to wait for the permit
        TableStore.Permit permit = store.permit(set.planId(), installId, set.table());
        try {
            committed = commit(set, installId, permit);
            makeLive(committed.folder(), set.table(), committed.commit(), true);
        } finally {
            permit.release();
        }
        finish(committed.folder(), set.table());
        return committed.commit().sstables().size();
    }

    /**
     * Commits a set, unless a link would meet a file: a committed set would wait for that for ever. If the database
     * fails to name a live folder, commits all the same: the database is asked again, and what was received stays.
     */
    private StagedSet.Committed commit(StagedSet set, UUID installId, TableStore.Permit permit) throws IOException {
        Optional<Path> taken;
        try {
            taken = taken(set);
        } catch (ActivationUnconfirmedException | StreamException unnamed) {
            LOG.warn("{}: committing although the database failed: {}", set.name(), unnamed.getMessage());
            set.commit(installId, permit);
            whole.add(set.name());
            throw unnamed;
        }
        if (taken.isPresent()) {
            throw new StreamException(
                    ErrorCode.INTERNAL,
                    "the database failed in newId of " + set.table() + ": " + taken.get() + " exists (expected: an id"
                            + " that was never returned before); nothing was committed");
        }
        return set.commit(installId, permit);
    }

    /** A file in a live folder with the name of a staged one. */
    private Optional<Path> taken(StagedSet set) throws IOException {
        for (Map.Entry<StagedPart, List<Descriptor>> part : set.stagedByPart().entrySet()) {
            StagingVolume volume = part.getKey().volume();
            Path live = liveDirectory(set.table(), volume);
            Set<Descriptor> staged = Set.copyOf(part.getValue());
            for (Path file : volume.disk().list(part.getKey().directory())) {
                String name = file.getFileName().toString();
                if (Descriptor.ofFile(name).filter(staged::contains).isPresent()
                        && volume.disk().exists(live.resolve(name))) {
                    return Optional.of(live.resolve(name));
                }
            }
        }
        return Optional.empty();
    }

    private static CommitFile requireCommit(SetFolder folder) throws IOException {
        return folder.commit()
                .orElseThrow(() -> new IOException(folder + ": its commit file and the copy are corrupt;"
                        + " recovery quarantines the set when this node restarts"));
    }

    /**
     * Rolls a set forward if it is committed; no session may be using it.
     *
     * @return what became live in this call; empty if nothing did
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
                ErrorCode.DISCARDED, table + " was dropped while it was streamed; its received data is removed");
    }

    /**
     * Checks that a table was not dropped.
     *
     * @throws StreamException of code {@link ErrorCode#DISCARDED}
     */
    void requireTable(TableRef table) {
        if (isGone(table)) {
            throw dropped(table);
        }
    }

    /** Whether a table was dropped, so that its received data can be removed. */
    boolean isDropped(UUID tableId) {
        return store.table(tableId).isEmpty() && store.isDropped(tableId);
    }

    /** The missing volumes of a set. */
    List<UUID> missing(CommitFile commit) {
        return commit.otherVolumes().stream()
                .filter(id -> volumes.find(id).isEmpty())
                .toList();
    }

    /**
     * Makes a committed set live and cleans up. Idempotent.
     *
     * @throws CorruptSetException if a file of the set is missing or has changed; then no file was moved
     * @throws ActivationUnconfirmedException if the database fails
     * @throws StreamException of code {@link ErrorCode#DISCARDED} if the database rejects the set; then it is removed
     */
    void rollForward(SetFolder folder, TableRef table, CommitFile commit) throws IOException {
        if (!folder.isLive()) {
            // Its writer may have died between the rename and its sync: then a power loss could remove the commit
            // file, and leave its links in the live folder.
            publishAgain(folder, commit);
        }
        repeat(folder, table, commit);
    }

    private static void publishAgain(SetFolder folder, CommitFile commit) throws IOException {
        try {
            folder.disk().publish(folder.path().resolve(CommitFile.NAME), commit.encode());
        } catch (IOException e) {
            if (!SystemError.isFull(e)) {
                throw e;
            }
            folder.disk().syncDirectory(folder.path()); // the names of those that are there: links still fit
        }
    }

    /** Rolls forward a set that is noted as live on the volume of its commit file, but not on all volumes. */
    void repeat(SetFolder folder, TableRef table, CommitFile commit) throws IOException {
        if (!folder.isLive() || parts(folder, commit).stream().anyMatch(SetFolder::isPending)) {
            makeLive(folder, table, commit, false);
        }
        finish(folder, table);
    }

    /** The folders of a set, the one with the commit file first. */
    private List<SetFolder> parts(SetFolder folder, CommitFile commit) throws IOException {
        List<SetFolder> parts = new ArrayList<>(List.of(folder));
        for (UUID id : commit.otherVolumes()) {
            parts.add(volume(folder, Optional.of(id)).folder(folder.name()));
        }
        return parts;
    }

    private StagingVolume volume(SetFolder folder, Optional<UUID> id) throws IOException {
        return volumes.find(folder.volume(), id)
                .orElseThrow(() -> new IOException(folder + ": a part of the set is on volume " + id.orElseThrow()
                        + ", which is missing; the set goes live at a start at which the volume is present"));
    }

    /**
     * Asks the database unless it has answered, and notes its answer on each volume.
     *
     * @param isJustMade whether the commit file was made by this call of its caller, from the files as they are
     */
    private void makeLive(SetFolder folder, TableRef table, CommitFile commit, boolean isJustMade) throws IOException {
        Answer answer = answers.get(folder.name());
        if (answer == null) {
            Optional<StreamException> refusal =
                    isGone(table) ? Optional.of(dropped(table)) : ask(folder, table, commit, isJustMade);
            answer = new Answer(commit, refusal, false);
            answers.put(folder.name(), answer);
        }
        if (answer.refusal().isPresent() && !isGone(table)) { // otherwise the database removes the live folder
            unlink(folder, table, commit);
        }
        for (SetFolder part :
                parts(folder, commit)) { // beside the commit file first: no part is noted as live before it
            part.noteLive(answer.refusal().isPresent());
        }
        settle(folder, table);
    }

    /**
     * What becomes of a set that is or may be committed: the database may have answered, also in an earlier process.
     */
    Outlook outlook(SetName name) {
        Answer answer = answers.get(name);
        if (answer != null) {
            return answer.refusal().isPresent() ? Outlook.IS_REFUSED : Outlook.IS_LIVE;
        }
        return volumes.committed(name)
                .map(folder -> folder.isLive() ? Outlook.IS_LIVE : Outlook.GOES_LIVE)
                .orElse(Outlook.MAY_BE_COMMITTED);
    }

    /** Notifies the database that its answer is durable, once. */
    private void settle(SetFolder folder, TableRef table) {
        Answer answer = answers.get(folder.name());
        if (answer != null && !answer.isSettled()) {
            store.activated(answer.commit().installId(), table);
            answers.put(folder.name(), new Answer(answer.commit(), answer.refusal(), true));
        }
    }

    /**
     * Cleans up after the durable answer of the database. May be repeated after a failure: the answer does not change.
     *
     * @throws StreamException of code {@link ErrorCode#DISCARDED} if the database rejected the set
     */
    private void finish(SetFolder folder, TableRef table) throws IOException {
        Answer noted = answers.get(folder.name());
        if (noted != null && !noted.isSettled()) {
            folder.disk().syncDirectory(folder.path()); // the sync of its name may have failed in the previous attempt
            for (SetFolder part : parts(folder, noted.commit())) {
                if (!part.equals(folder)) {
                    part.noteLive(noted.refusal().isPresent());
                }
            }
        }
        settle(folder, table);
        clean(folder);
        whole.remove(folder.name());
        Answer answer = answers.remove(folder.name());
        if (answer != null && answer.refusal().isPresent()) {
            throw answer.refusal().get();
        }
    }

    /**
     * Removes the folders of a set, the one with the commit file last. Leaves folders on a failed volume to the next
     * start, and also those of another install of the same set, which a start without its volumes did not know.
     */
    void clean(SetFolder folder) throws IOException {
        for (SetFolder other : volumes.folders(folder.name())) {
            if (other.isCommitted() || !other.volume().isTrusted()) {
                continue; // the folder itself, or one of another install
            }
            if (!other.isPart()) {
                other.discard(); // of attempts that staged nothing
            } else if (isPart(other, folder)) {
                other.clean();
            }
        }
        folder.clean();
    }

    /** Decides by the volumes in the commit file, which is not read again if the database has just answered. */
    private boolean isPart(SetFolder other, SetFolder committed) throws IOException {
        Answer answer = answers.get(committed.name());
        Optional<CommitFile> commit = answer != null ? Optional.of(answer.commit()) : committed.commit();
        Optional<UUID> volume = other.volume().id();
        return volume.isPresent()
                && commit.filter(known -> known.otherVolumes().contains(volume.get()))
                        .isPresent();
    }

    private Optional<StreamException> ask(SetFolder folder, TableRef table, CommitFile commit, boolean isJustMade)
            throws IOException {
        List<LinkedFile> links = links(folder, table, commit);
        if (!isJustMade) {
            whole.require(folder, links);
        }
        whole.add(folder.name());
        for (LinkedFile file : links) {
            file.link();
        }
        for (SetFolder part : parts(folder, commit)) {
            Path live = liveDirectory(table, part.volume());
            part.disk().syncDirectory(live);
        }
        try {
            activate(table, commit, dataFiles(links, commit));
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

    private void activate(TableRef table, CommitFile commit, List<Path> dataFiles) throws IOException {
        if (commit.indexes().isEmpty()) {
            store.activate(commit.installId(), table, dataFiles);
        } else {
            store.activate(commit.installId(), table, dataFiles, commit.indexes());
        }
    }

    /** The data files in the order of the commit file, on all volumes. */
    private static List<Path> dataFiles(List<LinkedFile> links, CommitFile commit) {
        Map<String, Path> byName = new HashMap<>();
        links.forEach(link -> byName.put(link.target().getFileName().toString(), link.target()));
        return commit.sstables().stream()
                .flatMap(sstable -> Optional.ofNullable(byName.get(sstable.fileName(Component.DATA))).stream())
                .toList();
    }

    private List<LinkedFile> links(SetFolder folder, TableRef table, CommitFile commit) throws IOException {
        List<LinkedFile> links = new ArrayList<>();
        for (SetFolder part : parts(folder, commit)) {
            Path live = liveDirectory(table, part.volume());
            Optional<UUID> id =
                    part.equals(folder) ? Optional.empty() : part.volume().id();
            for (CommitFile.StagedFile file : commit.files()) {
                if (file.volumeId().equals(id)) {
                    links.add(new LinkedFile(
                            part.disk(),
                            part.path().resolve(file.name()),
                            live.resolve(file.name()),
                            file.lengthBytes(),
                            file.crc32()));
                }
            }
        }
        return links;
    }

    /**
     * Called before the answer is noted: after a crash in between, the database is asked again and rejects the set
     * again.
     */
    private void unlink(SetFolder folder, TableRef table, CommitFile commit) throws IOException {
        for (LinkedFile file : links(folder, table, commit)) {
            file.disk().delete(file.target());
        }
        for (SetFolder part : parts(folder, commit)) {
            part.disk().syncDirectory(liveDirectory(table, part.volume()));
        }
    }

    /**
     * Removes the names of a committed set from the live folders, unless the database has answered for it: otherwise a
     * database that opens the table now would find files of which it was not notified, even if the table was truncated
     * meanwhile.
     */
    void takeBack(SetFolder folder, TableRef table) throws IOException {
        if (folder.isLive() || answers.containsKey(folder.name())) {
            return;
        }
        Path live = liveDirectory(table, folder.volume());
        for (String name : folder.components()) { // TOC first: an SSTable without it is incomplete
            if (isOwn(folder, live.resolve(name))) {
                folder.disk().delete(live.resolve(name));
            }
        }
        if (folder.disk().exists(live)) {
            folder.disk().syncDirectory(live);
        }
    }

    /** Whether a live folder has a file of the set, which a database would open that starts now. */
    boolean isVisible(SetFolder folder, TableRef table) throws IOException {
        Path live = liveDirectory(table, folder.volume());
        for (String name : folder.components()) {
            if (isOwn(folder, live.resolve(name))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOwn(SetFolder folder, Path live) throws IOException {
        Path staged = folder.path().resolve(live.getFileName());
        return folder.disk().exists(live) && LinkedFile.isSame(folder.disk(), live, staged);
    }

    /**
     * Applies the answer of the database that one part of a set has noted to all present parts, so that they do not
     * differ; other volumes may be missing.
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
                if (!isRefused) {
                    new LinkedFile(part.disk(), part.path().resolve(name), live.resolve(name), 0, OptionalLong.empty())
                            .link();
                } else if (isOwn(part, live.resolve(name))) {
                    part.disk().delete(live.resolve(name));
                }
            }
            part.disk().syncDirectory(live);
            part.noteLive(isRefused);
        }
    }

    /** @throws ActivationUnconfirmedException if the database does not name it */
    Path liveDirectory(TableRef table, StagingVolume volume) throws IOException {
        try {
            return store.liveDirectory(table, volume.spec());
        } catch (IOException e) {
            throw new ActivationUnconfirmedException(e);
        }
    }
}
