package io.sluice.streaming.store;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The tables of the embedding database, as streaming needs them.
 *
 * <p>Thread-safe. For one plan {@link #pin}, the closing of what it returned, {@link #expectArrivals}, {@link #permit},
 * {@link #activate}, {@link #activated}, the release of the permit, {@link #endArrivals} and the telling of the result
 * come one after the other, never two at the same time; for different plans they do. They hold no lock of Sluice, may
 * call {@code StreamingNode}, and may be slow: that delays their own plan only, up to its deadline for installs, as
 * long as fewer plans than there are threads for it are so. All other methods are questions, which come at any time,
 * also while one of those calls runs, and are to be answered soon.
 *
 * <p>No call comes on a network thread; while interrupted installs are finished they come on the thread that starts
 * Sluice.
 *
 * <p>A method, or one of what it returns, may throw anything. It ends what it was called for, as an exception does, an
 * {@link Error} too: the plan, or the table, fails with the cause, of which both nodes are notified. Only a
 * {@link VirtualMachineError} goes on: when the plan or the session has ended, to the uncaught-exception handler of the
 * thread, as a rule {@link Thread#getDefaultUncaughtExceptionHandler}, which decides about the process. Calls that say
 * that something is over ({@code release}, {@code close}, {@link #endArrivals}, {@link #diskFailed}) and questions that
 * nobody needs an answer to ({@code obsoleteBytes}, {@link #writesSince}) fail nothing; their errors are in the log.
 *
 * <p>All tables must be known before Sluice is started. A set of files that was committed for a table that is not known
 * then is kept, and made live at the first start at which it is.
 */
public interface TableStore {
    /**
     * The tables of this node, as far as they are known when Sluice starts: it tries then whether it can install to
     * their live folders, and says so in the log if not.
     */
    default List<TableRef> knownTables() {
        return List.of();
    }

    /**
     * The table with this id, or empty if this node has none such (any more). One that was known in this process and is
     * not any more was dropped: ids never come back. What was received of it is removed then, code
     * {@link io.sluice.streaming.ErrorCode#DISCARDED}, without asking for a permit, and other tables of its plan go on.
     */
    Optional<TableRef> table(UUID tableId);

    /**
     * Whether a table that is not known was dropped, and is not just on its way: asked of what lies in staging when
     * Sluice starts, and now and then. What was received of a dropped table is removed, committed or not.
     *
     * @return false, the default, if this database cannot say: then a committed set waits for a start at which the
     *     table is known, and each start says so
     */
    default boolean isDropped(UUID tableId) {
        return false;
    }

    /**
     * A digest of all that decides how SSTables of {@code table} are read: its columns, their order, kinds and types.
     * Two nodes on which it differs do not stream the table: the source refuses it, code
     * {@link io.sluice.streaming.ErrorCode#SCHEMA}. A database that can read what an older schema wrote leaves out of
     * it what may differ.
     *
     * @return 0 if this database does not say: then nothing is compared
     */
    default long schemaDigest(TableRef table) {
        return 0;
    }

    /**
     * Pins the live SSTables of {@code table} that hold at least one partition in {@code ranges}.
     *
     * @param planId names the snapshot in logs and on disk; one of its own for each question of a planner
     * @throws IOException if the files cannot be pinned; the session fails with that reason
     */
    PinnedTable pin(UUID planId, TableRef table, TokenRanges ranges) throws IOException;

    /**
     * The live SSTables of {@code table} that hold at least one partition in {@code ranges}, as a planner wants to know
     * them: where they begin and end, and how large they are. Nothing is pinned for the question, and nothing needs to
     * be written for it: what changes before the table is streamed changes then.
     *
     * @return empty, the default, if this database does not say: then the table is {@link #pin pinned} for the question
     * @throws IOException if it cannot be said; a planner asks another node
     */
    default Optional<List<LiveSSTable>> inspect(TableRef table, TokenRanges ranges) throws IOException {
        return Optional.empty();
    }

    /**
     * One live SSTable.
     *
     * @param first the token of its first partition
     * @param last the token of its last partition
     * @param lengthBytes of all its components
     */
    record LiveSSTable(Token first, Token last, long lengthBytes) {}

    /** The folder in which SSTables of {@code table} live: received ones are installed there. It exists. */
    Path liveDirectory(TableRef table) throws IOException;

    /**
     * The folder in which SSTables of {@code table} live on one volume; on its file system, and existing.
     *
     * @param volume one of {@link #volumes}
     */
    default Path liveDirectory(TableRef table, Volume volume) throws IOException {
        return liveDirectory(table);
    }

    /** Where bytes land before they are installed: on the file system of all live folders, used by nobody else. */
    Path stagingDirectory();

    /**
     * One data volume, which may fail, or fill up, alone. Immutable.
     *
     * @param stagingDirectory where bytes land that are to live on this volume; nobody else uses it
     * @param tokens which of the ring this volume should hold; none, if the database does not divide the ring between
     *     its volumes. An SSTable that lies in the tokens of one volume goes there if it has room; all others go where
     *     most room is
     */
    record Volume(Path stagingDirectory, TokenRanges tokens) {
        /** Holds what there is room for. */
        public Volume(Path stagingDirectory) {
            this(stagingDirectory, TokenRanges.NONE);
        }
    }

    /**
     * The data volumes of this node, at least one, each with a staging directory of its own. Which there are is asked
     * once, at the start; their tokens are asked again for each table of a plan. One that cannot be used at the start,
     * or fails later, is left alone until the next start, unless none is left: see {@link #diskFailed}. A set of files
     * of which a part lies on a volume that is missing waits for a start at which it is there.
     *
     * @return one, {@link #stagingDirectory}, by default
     */
    default List<Volume> volumes() {
        return List.of(new Volume(stagingDirectory()));
    }

    /**
     * The id of a new SSTable of {@code table}: the second part of the names of its files, as {@code 42} in
     * {@code nb-42-big-Data.db}. A number of up to 31 bits, or 28 characters that spell a time-based UUID
     * ({@code 3gn3_0q4f_3kgj02h3k1o9cvbtzm}). Never given out before, also not before a crash.
     */
    String newId(TableRef table) throws IOException;

    /**
     * A plan is about to fetch rows of these ranges: until {@link #endArrivals} a deletion that is older than they may
     * arrive must not be forgotten there, or what it deleted comes back with them.
     */
    default void expectArrivals(UUID planId, TableRef table, TokenRanges ranges) {}

    /** Nothing of this table comes with this plan any more; called once for each {@link #expectArrivals}. */
    default void endArrivals(UUID planId, TableRef table) {}

    /**
     * Since when this node has had every write to all of {@code ranges}, without a gap. Asked when a plan begins,
     * before anything of the table is pinned at a source, and again when it is live: if the answers differ, writes may
     * be missing that were neither received nor are here, and the plan's result says so.
     *
     * @return empty if it does not have them, or if this database does not say
     */
    default Optional<Instant> writesSince(TableRef table, TokenRanges ranges) {
        return Optional.empty();
    }

    /**
     * A sync on the volume of {@code stagingDirectory} has failed: what Sluice took for durable there may be lost, and
     * nothing more is acknowledged or installed there until the process starts again. Of several volumes also one that
     * cannot be used at the start, or that refuses to be written to. Called once for each; what becomes of the volume
     * is the database's to decide, but that it opens no table on one of which it is notified at the start: files of
     * sets that wait for the volume may lie in its live folders.
     */
    default void diskFailed(Path stagingDirectory, String why) {}

    /**
     * Asks whether what was received may become live, directly before that is decided for good. The permit is held
     * until the database has answered {@link #activate} and the answer is durable: a database that drops or truncates a
     * table waits for permits that are out, or refuses them from then on. It is released, too, when the install fails
     * after the commit point; what then happens to the table before {@link #activate} is called again, in this process
     * or after a crash, is the database's to remember.
     *
     * @param planId whose set it is: what a plan pinned before a table was truncated may not become live after that. It
     *     has pinned nothing before {@link #expectArrivals}, so a table that was truncated since then refuses it
     * @throws io.sluice.streaming.StreamException if it may not, of code
     *     {@link io.sluice.streaming.ErrorCode#DISCARDED} if the table was dropped or truncated,
     *     {@link io.sluice.streaming.ErrorCode#SCHEMA} if its columns or options have changed so that what was received
     *     cannot be read any more; or IOException. Then nothing of it becomes live
     */
    default Permit permit(UUID planId, UUID installId, TableRef table) throws IOException {
        return () -> {};
    }

    /**
     * The SSTables lie complete and durable in the live folder: make all of them visible to reads in one step.
     *
     * <p>Called once for an {@code installId} in a process life if it returns normally; after a crash, or if it threw,
     * again with the same id, in the same process a few times. Repeating it must have no further effect. If it throws
     * while Sluice starts, Sluice starts all the same: the set stays committed, the report of recovery says so, its
     * files are taken out of the live folder, and the next start calls again.
     *
     * <p>A database that looks into a live folder while it runs leaves alone what it was not notified of: those files
     * lie there, under ids that {@link #newId} has given, until it has answered. It opens its tables when Sluice has
     * started, or they may be taken away from under it.
     *
     * @param dataFiles the {@code Data.db} file of each SSTable, in the folder that {@link #liveDirectory} names, on
     *     whichever of its volumes; the other components lie beside it
     * @throws io.sluice.streaming.StreamException of code {@link io.sluice.streaming.ErrorCode#DISCARDED} if the
     *     database does not want them any more: that is an answer, too, and their files are removed
     */
    void activate(UUID installId, TableRef table, List<Path> dataFiles) throws IOException;

    /**
     * The answer to {@link #activate} is durable. Only from now on may files of these SSTables be removed, by
     * compaction or otherwise: before, an install that a crash interrupted expects to find them, under their staged or
     * their live name. After a crash it is called again, or the install is not repeated.
     */
    default void activated(UUID installId, TableRef table) {}

    /**
     * The database's word that a set of SSTables may become live; released when the set is live, or when its install
     * has failed.
     */
    @FunctionalInterface
    interface Permit {
        /** Releases the permit; called exactly once, also if it was revoked. */
        void release();

        /**
         * Whether the database has revoked the permit, as when its own deadline for it has passed. A question, to be
         * answered from memory. Asked directly before the commit point; what is revoked later is the database's to
         * decide in {@link #activate}.
         */
        default boolean isRevoked() {
            return false;
        }
    }

    /** What recovery found in a staging directory when a node started, and did about it. Immutable. */
    record RecoveryReport(List<Finding> findings) {
        public RecoveryReport {
            findings = List.copyOf(findings);
        }

        /** What was done. */
        public enum Decision {
            /** It was committed: it is live now. */
            FINISHED,
            /** It was live: only its folder had to go. */
            CLEANED,
            /** It is not wanted any more: the database said so when it was to go live, or has dropped the table. */
            DISCARDED,
            /**
             * It waits for another start: it was committed for a table that is not known here, or the database failed
             * when it was asked about it, or was to make it live.
             */
            WAITING,
            /** It was not committed: what has landed of it is kept for another attempt. */
            KEPT,
            /** It was not committed, and nothing of it is of use. */
            REMOVED,
            /** It was not understood: it lies in {@code quarantine/}, with a text that says why. */
            QUARANTINED
        }

        /**
         * One set of SSTables, of one table of one plan.
         *
         * @param path where it lay
         * @param reason why so, human-readable
         */
        public record Finding(Path path, Decision decision, String reason) {
            @Override
            public String toString() {
                return decision + " " + path + ": " + reason;
            }
        }

        /** A line for each finding. */
        @Override
        public String toString() {
            return findings.isEmpty()
                    ? "nothing was left in staging"
                    : findings.stream().map(Finding::toString).collect(Collectors.joining("\n"));
        }
    }
}
