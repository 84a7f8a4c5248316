package io.sluice.streaming.install;

import io.sluice.sstable.component.Component;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
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
    private static final String LIVE = "LIVE";

    private final Disk disk;
    private final TableStore store;
    /** What the database has answered in this process, of sets that are not cleaned up yet: it is not asked twice. */
    private final Map<Path, Answer> answers = new ConcurrentHashMap<>();

    /** @param refusal why it does not want the set; empty if it is live */
    private record Answer(UUID installId, Optional<StreamException> refusal, boolean isSettled) {}

    Installer(Disk disk, TableStore store) {
        this.disk = disk;
        this.store = store;
    }

    /**
     * Commits, then rolls forward; how many SSTables became live. A set that is committed already, and that the
     * database has not answered for, is only rolled forward.
     *
     * @throws StreamException also of code {@link ErrorCode#DISCARDED}: then all of it is removed
     */
    int install(StagedSet set, UUID installId) throws IOException {
        if (isLive(set.directory())) { // the attempt before failed when it said so to the database, or cleaned up
            finish(set.directory(), set.table());
            return set.stagedCount();
        }
        if (isCommitted(set.directory())) {
            CommitFile commit = requireCommit(set.directory());
            set.close();
            rollForward(set.directory(), set.table(), commit);
            return commit.sstables().size();
        }
        CommitFile commit;
        requireTable(set.table());
        set.close(); // waits for those that lag behind, before the database waits for the permit
        TableStore.Permit permit = store.permit(set.planId(), installId, set.table());
        try {
            commit = set.commit(installId, permit);
            makeLive(set.directory(), set.table(), commit);
        } finally {
            permit.release();
        }
        finish(set.directory(), set.table());
        return commit.sstables().size();
    }

    private CommitFile requireCommit(Path directory) throws IOException {
        return readCommit(directory)
                .orElseThrow(() -> new IOException(directory + ": its commit file and the copy of it are damaged;"
                        + " recovery puts the set aside when this node starts again"));
    }

    /**
     * Rolls the set in {@code directory} forward, if it is committed; nobody has it in use.
     *
     * @return what became live now; empty if nothing did
     */
    Optional<InstallSummary> finishCommitted(Path directory, TableRef table) throws IOException {
        if (!isCommitted(directory)) {
            return Optional.empty();
        }
        try {
            if (isLive(directory)) {
                finish(directory, table);
                return Optional.empty();
            }
            CommitFile commit = requireCommit(directory);
            rollForward(directory, table, commit);
            return Optional.of(new InstallSummary(
                    commit.sstables().size(),
                    commit.files().stream()
                            .mapToLong(CommitFile.StagedFile::lengthBytes)
                            .sum()));
        } catch (StreamException e) {
            if (e.code() != ErrorCode.DISCARDED) {
                throw e;
            }
            LOG.info("{}: {}", directory, e.getMessage());
            return Optional.empty();
        }
    }

    private boolean isGone(TableRef table) {
        return store.table(table.id()).isEmpty();
    }

    private static StreamException dropped(TableRef table) {
        return new StreamException(
                ErrorCode.DISCARDED, table + " was dropped while it was streamed; what had come of it is removed");
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

    /** Whether nobody will ever want what has come of a table, since it was dropped. */
    boolean isDropped(UUID tableId) {
        return store.table(tableId).isEmpty() && store.isDropped(tableId);
    }

    /**
     * Whether the set in {@code directory} passed the commit point. The commit file is named last of its two copies.
     */
    boolean isCommitted(Path directory) {
        return disk.exists(directory.resolve(CommitFile.NAME)) || disk.exists(directory.resolve(LIVE));
    }

    /**
     * What the commit file says, or its copy where it is damaged.
     *
     * @return empty if both are damaged
     * @throws IOException if the disk fails
     */
    Optional<CommitFile> readCommit(Path directory) throws IOException {
        for (String name : new String[] {CommitFile.NAME, CommitFile.COPY_NAME}) {
            Path file = directory.resolve(name);
            if (disk.exists(file)) {
                try {
                    return Optional.of(CommitFile.decode(disk.read(file, CommitFile.MAX_LENGTH_BYTES)));
                } catch (UnreadableLineException damaged) {
                    LOG.error("{}: {}", file, damaged.getMessage());
                }
            }
        }
        return Optional.empty();
    }

    /** Whether a set is live, and only its folder has to go. */
    boolean isLive(Path directory) {
        return disk.exists(directory.resolve(LIVE));
    }

    /**
     * Makes a committed set live and cleans up. Repeating it is harmless.
     *
     * @throws CorruptSetException if a file of the set is in neither place; nothing was moved then
     * @throws ActivationUnconfirmedException if the database fails
     * @throws StreamException of code {@link ErrorCode#DISCARDED} if the database does not want it; it is removed then
     */
    void rollForward(Path directory, TableRef table, CommitFile commit) throws IOException {
        if (!isLive(directory)) {
            // Who wrote it may have failed, or have been killed, between the name of the file and its sync: then a loss
            // of power would take it away again, and leave in the live folder what was linked by it.
            disk.publish(directory.resolve(CommitFile.NAME), commit.encode());
            makeLive(directory, table, commit);
        }
        finish(directory, table);
    }

    /** Asks the database, unless it has answered, and notes the answer on the disk, whichever it was. */
    private void makeLive(Path directory, TableRef table, CommitFile commit) throws IOException {
        Answer answer = answers.get(directory);
        if (answer == null) {
            Optional<StreamException> refusal =
                    isGone(table) ? Optional.of(dropped(table)) : ask(directory, table, commit);
            answer = new Answer(commit.installId(), refusal, false);
            answers.put(directory, answer);
        }
        if (answer.refusal().isPresent() && !isGone(table)) { // else its folder is the database's to remove
            unlink(liveDirectory(table), commit);
        }
        disk.publish(directory.resolve(LIVE), new byte[0]);
        settle(directory, table);
    }

    /** Says to the database that its answer is durable, unless it knows. */
    private void settle(Path directory, TableRef table) {
        Answer answer = answers.get(directory);
        if (answer != null && !answer.isSettled()) {
            store.activated(answer.installId(), table);
            answers.put(directory, new Answer(answer.installId(), answer.refusal(), true));
        }
    }

    /**
     * Cleans up after the answer of the database, which is durable. What fails may be repeated: the answer stays what
     * it was.
     *
     * @throws StreamException of code {@link ErrorCode#DISCARDED} if the database did not want it
     */
    private void finish(Path directory, TableRef table) throws IOException {
        Answer noted = answers.get(directory);
        if (noted != null && !noted.isSettled()) {
            disk.syncDirectory(directory); // the attempt before may have failed in the sync of the note's name
        }
        settle(directory, table);
        clean(directory);
        Answer answer = answers.remove(directory);
        if (answer != null && answer.refusal().isPresent()) {
            throw answer.refusal().get();
        }
    }

    private Optional<StreamException> ask(Path directory, TableRef table, CommitFile commit) throws IOException {
        Path live = liveDirectory(table);
        for (CommitFile.StagedFile file : commit.files()) {
            requireWhole(directory.resolve(file.name()), live.resolve(file.name()), file.lengthBytes());
        }
        for (CommitFile.StagedFile file : commit.files()) {
            link(directory.resolve(file.name()), live.resolve(file.name()));
        }
        disk.syncDirectory(live);
        try {
            store.activate(commit.installId(), table, dataFiles(live, commit));
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

    private static List<Path> dataFiles(Path live, CommitFile commit) {
        return commit.sstables().stream()
                .map(sstable -> live.resolve(sstable.fileName(Component.DATA)))
                .toList();
    }

    /** Before the answer is noted: a crash in between asks the database once more, which then says the same. */
    private void unlink(Path live, CommitFile commit) throws IOException {
        for (CommitFile.StagedFile file : commit.files()) {
            disk.delete(live.resolve(file.name()));
        }
        disk.syncDirectory(live);
    }

    /**
     * Takes the names of a committed set out of the live folder again, unless the database has answered for it: one
     * that opens the table now, and was not told of them, would find them there, also if it was truncated meanwhile.
     */
    void takeBack(Path directory, TableRef table, CommitFile commit) throws IOException {
        if (isLive(directory) || answers.containsKey(directory)) {
            return;
        }
        Path live = liveDirectory(table);
        List<CommitFile.StagedFile> files = new ArrayList<>(commit.files());
        Collections.reverse(files); // TOC first: a table without is no table
        for (CommitFile.StagedFile file : files) {
            if (disk.exists(directory.resolve(file.name()))) {
                disk.delete(live.resolve(file.name()));
            }
        }
        disk.syncDirectory(live);
    }

    private Path liveDirectory(TableRef table) throws IOException {
        try {
            return store.liveDirectory(table);
        } catch (IOException e) {
            throw new ActivationUnconfirmedException(e);
        }
    }

    /** Looked at before any of them is linked: a part of a set is never live. */
    private void requireWhole(Path staged, Path target, long lengthBytes) throws IOException {
        Path file = disk.exists(target) ? target : staged; // linked before a crash, or not
        if (!disk.exists(file)) {
            throw new CorruptSetException(staged + " is gone, and " + target
                    + " is not there either, by the commit file beside" + " it; nothing was moved");
        }
        if (disk.size(file) != lengthBytes) {
            throw new CorruptSetException(file + ": " + disk.size(file) + " bytes (expected: " + lengthBytes
                    + " by the commit file in " + staged.getParent() + "); nothing was moved");
        }
    }

    private void link(Path staged, Path target) throws IOException {
        try {
            disk.link(target, staged);
        } catch (IOException e) {
            if (!disk.exists(target)) { // else it was linked before a crash
                throw e;
            }
        }
    }

    /**
     * Removes the staged names first, the commit file after them, {@code LIVE} last: a crash between continues here.
     */
    void clean(Path directory) throws IOException {
        for (Path file : disk.list(directory)) {
            String name = file.getFileName().toString();
            if (!name.equals(CommitFile.NAME) && !name.equals(LIVE)) {
                disk.delete(file);
            }
        }
        disk.syncDirectory(directory);
        disk.delete(directory.resolve(CommitFile.NAME));
        disk.syncDirectory(directory);
        discard(directory);
    }

    /** Removes a set that was never committed, or is live, with all that is in its directory. */
    void discard(Path directory) throws IOException {
        for (Path file : disk.list(directory)) {
            disk.delete(file);
        }
        disk.delete(directory);
    }
}
