package io.sluice.streaming.store;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The interface that the embedding database implements: its tables, as streaming needs them.
 *
 * <p>Thread-safe. For one plan {@link #pin}, the closing of what it returned, {@link #expectArrivals}, {@link #permit},
 * {@link #activate}, {@link #activated}, the release of the permit, {@link #endArrivals} and the notification of the
 * result are sequential; calls for different plans run concurrently. Sluice holds no lock during these calls. They may
 * call {@code StreamingNode} and may block: that delays only their own plan, while other threads are free. A call of an
 * install, from {@link #permit} to {@link #activated}, fails its table at the install deadline. {@link #newId} and
 * {@link #arrived} that do not return end the session by TIMEOUT, which is tried again, and each attempt occupies one
 * more thread for disk work: bound them yourself. {@link #arrived} comes between {@link #expectArrivals} and
 * {@link #permit} of its table, for several SSTables at the same time and also during a call for another table. All
 * other methods are queries: Sluice calls them at any time, also during one of the calls above, and they should return
 * quickly.
 *
 * <p>Sluice makes no call on a network thread. Recovery at the start calls on the thread that starts Sluice.
 *
 * <p>These methods, and those of the objects they return, may throw anything, an {@link Error} included: the plan or
 * table fails with the cause, and both nodes report it and the name of the call. So does one that returns null, or a
 * list with a null in it. A {@link VirtualMachineError} is also passed on, after the plan or session has ended, to the
 * uncaught-exception handler of the thread (usually {@link Thread#getDefaultUncaughtExceptionHandler}), which decides
 * about the process. Calls that report the end of something ({@code release}, {@code close}, {@link #arrived},
 * {@link #endArrivals}, {@link #diskFailed}) and optional queries ({@code obsoleteBytes}, {@link #writesSince}) fail
 * nothing; Sluice logs their errors. A thread that a call leaves interrupted is not interrupted afterwards.
 *
 * <p>The database must know all tables before it starts Sluice. Sluice keeps a committed set of files of an unknown
 * table, and activates it at the first start at which the table is known.
 */
public interface TableStore {
    /**
     * The tables of this node that are known when Sluice starts. Sluice then checks that their live folders are outside
     * of staging, and whether it can install to them, and logs an error if not.
     */
    default List<TableRef> knownTables() {
        return List.of();
    }

    /**
     * The table with this id, or empty if this node does not have it. A table that was known in this process and no
     * longer is was dropped; ids are never reused. Sluice then removes what it received of the table, with code
     * {@link io.sluice.streaming.ErrorCode#DISCARDED} and without asking for a permit; other tables of the plan
     * continue.
     */
    Optional<TableRef> table(UUID tableId);

    /**
     * Whether an unknown table was dropped, as opposed to not created yet. Sluice asks for tables found in staging when
     * it starts, and from time to time. It removes what it received of a dropped table, committed or not.
     *
     * @return false, the default, if this database does not know: then a committed set waits for a start at which the
     *     table is known, and each start logs that
     */
    default boolean isDropped(UUID tableId) {
        return false;
    }

    /**
     * A digest of everything that decides how SSTables of {@code table} are read: its columns, their order, kinds and
     * types. If it differs between two nodes, the source refuses the table with
     * {@link io.sluice.streaming.ErrorCode#SCHEMA}. A database that can read SSTables of an older schema excludes what
     * may differ.
     *
     * @return 0 if this database has no digest: then nothing is compared
     */
    default long schemaDigest(TableRef table) {
        return 0;
    }

    /**
     * Pins the live SSTables of {@code table} that hold at least one partition in {@code ranges}. It may pin more, even
     * all of the table: Sluice sends the ranges alone.
     *
     * @param planId names the snapshot in logs and on disk; each query of a planner has its own
     * @throws IOException if the files cannot be pinned; the session fails with that reason
     */
    PinnedTable pin(UUID planId, TableRef table, TokenRanges ranges) throws IOException;

    /**
     * The live SSTables of {@code table} that hold at least one partition in {@code ranges}, as a planner needs them:
     * first and last token, and size. This is a query only: it pins and writes nothing, and the SSTables may change
     * before the table is streamed. It may list more: Sluice ignores SSTables outside the ranges.
     *
     * @return empty, the default, if this database does not implement it: then Sluice {@link #pin pins} the table for
     *     the query
     * @throws IOException if the SSTables cannot be listed; the planner asks another node
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

    /**
     * The folder in which SSTables of {@code table} live: Sluice installs received ones there. The folder must exist.
     */
    Path liveDirectory(TableRef table) throws IOException;

    /**
     * The folder in which SSTables of {@code table} live on one volume, on the file system of that volume. The folder
     * must exist.
     *
     * @param volume one of {@link #volumes}
     */
    default Path liveDirectory(TableRef table, Volume volume) throws IOException {
        return liveDirectory(table);
    }

    /**
     * The folder for received files until they are installed: on the same file system as all live folders, and used by
     * Sluice only. No live folder is in it: the start is refused if that of one of {@link #knownTables} is.
     */
    Path stagingDirectory();

    /**
     * One data volume, which may fail, or fill up, alone. Immutable.
     *
     * @param stagingDirectory for received files that will live on this volume; used by Sluice only
     * @param tokens the tokens that this volume should hold; none if the database does not divide the ring among its
     *     volumes. An SSTable within the tokens of one volume is placed there if it fits; all others go to the volume
     *     with most free space
     */
    record Volume(Path stagingDirectory, TokenRanges tokens) {
        /** A volume without token boundaries. */
        public Volume(Path stagingDirectory) {
            this(stagingDirectory, TokenRanges.NONE);
        }
    }

    /**
     * The data volumes of this node, at least one, each with a staging directory of its own, none in another. Sluice
     * reads the list once, at the start, and the tokens again for each table of a plan. A volume that cannot be used at
     * the start, or fails later, is not used until the next start, unless it is the last one: see {@link #diskFailed}.
     * If a part of a set of files is on a missing volume, the set waits for a start at which the volume is present.
     *
     * @return one, {@link #stagingDirectory}, by default
     */
    default List<Volume> volumes() {
        return List.of(new Volume(stagingDirectory()));
    }

    /**
     * The id of a new SSTable of {@code table}: the second part of the names of its files, as {@code 42} in
     * {@code nb-42-big-Data.db}. A number of up to 31 bits, or 28 characters that spell a time-based UUID
     * ({@code 3gn3_0q4f_3kgj02h3k1o9cvbtzm}). Leading zeros of a number are dropped. Must never have been returned
     * before, not even before a crash, and be of no SSTable that the database writes itself. Sluice finds only the same
     * name: a received file keeps the version of its source ({@code nb}). If a live file has its name, the table fails
     * before it is committed.
     */
    String newId(TableRef table) throws IOException;

    /**
     * A plan is about to fetch rows of these ranges: until {@link #endArrivals} the database must not purge tombstones
     * in these ranges, or received rows may resurrect deleted data.
     */
    default void expectArrivals(UUID planId, TableRef table, TokenRanges ranges) {}

    /**
     * An SSTable has arrived: its components are complete, durable and verified, and do not change any more. It is in
     * the staging directory and not live. For a database that reads what it receives while the rest is on its way, for
     * example to hash or to index it.
     *
     * <p>Called on threads that the plan needs to receive: read on a thread of your own. Sluice moves the files to the
     * live folder when it installs them, under the same file names, and removes them if the plan fails: a reader must
     * expect that a file is gone.
     *
     * @param dataFile its {@code Data.db}, with the id from {@link #newId}; the other components are beside it
     */
    default void arrived(UUID planId, TableRef table, Path dataFile) {}

    /** This plan fetches no more rows of this table. Called once for each {@link #expectArrivals}. */
    default void endArrivals(UUID planId, TableRef table) {}

    /**
     * The time since which this node has received every write to all of {@code ranges}, without a gap. Sluice asks when
     * a plan begins, before a source pins anything of the table, and again when the table is live. If the answers
     * differ, writes may be missing, and the plan's result reports it.
     *
     * @return empty if writes are missing, or if this database does not track them
     */
    default Optional<Instant> writesSince(TableRef table, TokenRanges ranges) {
        return Optional.empty();
    }

    /**
     * A sync on the volume of {@code stagingDirectory} has failed: data that Sluice considered durable there may be
     * lost, and Sluice acknowledges and installs nothing there until the process restarts. With several volumes, also
     * called for one that cannot be used at the start or cannot be written to. Called once for each volume. The
     * database decides what to do with the volume, but must not open a table on a volume reported at the start: its
     * live folders may contain files of sets that wait for it.
     */
    default void diskFailed(Path stagingDirectory, String why) {}

    /**
     * Asks whether the received SSTables may become live, directly before the commit point. Sluice holds the permit
     * until {@link #activate} has returned and the result is durable. A database that drops or truncates a table waits
     * for outstanding permits, or refuses new ones. Sluice also releases the permit if the install fails after the
     * commit point; the database must remember what happens to the table until {@link #activate} is called again, in
     * this process or after a crash.
     *
     * @param planId the plan of the set. SSTables pinned before a truncation must not become live after it. A plan pins
     *     nothing before {@link #expectArrivals}, so refuse a plan if the table was truncated since that call
     * @throws io.sluice.streaming.StreamException if they may not, with code
     *     {@link io.sluice.streaming.ErrorCode#DISCARDED} if the table was dropped or truncated,
     *     {@link io.sluice.streaming.ErrorCode#SCHEMA} if its columns or options changed so that the received SSTables
     *     cannot be read any more. Then nothing of the set becomes live; the same holds for an IOException
     */
    default Permit permit(UUID planId, UUID installId, TableRef table) throws IOException {
        return () -> {};
    }

    /**
     * Makes SSTables visible to reads, all of them in one step. They are complete and durable in the live folder.
     *
     * <p>Called once for each {@code installId} while the process runs, if it returns normally. After an exception
     * Sluice repeats the call a few times, and after a crash once more, with the same id: the method must be
     * idempotent. If it throws during recovery, Sluice starts nevertheless: the set stays committed, the recovery
     * report lists it, Sluice moves its files out of the live folder, and the next start calls again.
     *
     * <p>A database that lists a live folder at run time must ignore SSTables that were not activated: they are there,
     * with ids from {@link #newId}, before this method returns. It must open its tables only after Sluice has started,
     * because recovery may move files away. It must remove, replace or change no file of these SSTables before
     * {@link #activated}.
     *
     * @param dataFiles the {@code Data.db} file of each SSTable, in the folder that {@link #liveDirectory} names, on
     *     any volume; the other components are beside it
     * @throws io.sluice.streaming.StreamException of code {@link io.sluice.streaming.ErrorCode#DISCARDED} if the
     *     database no longer wants them: Sluice then removes their files
     */
    void activate(UUID installId, TableRef table, List<Path> dataFiles) throws IOException;

    /**
     * Whether this database builds secondary indexes for SSTables that arrive without index files, such as slices.
     * Asked once, when Sluice starts.
     *
     * @return false, the default: then a source with such indexes refuses to send parts of the table, and names the
     *     indexes
     */
    default boolean buildsIndexes() {
        return false;
    }

    /**
     * Like {@link #activate(UUID, TableRef, List)}, for SSTables of which some lack index files that their sources
     * have. Called instead of it, and only if this database {@link #buildsIndexes}. The TOC.txt of an SSTable lists the
     * index files that were received with it.
     *
     * @param indexes names of the missing indexes
     */
    default void activate(UUID installId, TableRef table, List<Path> dataFiles, Set<String> indexes)
            throws IOException {
        activate(installId, table, dataFiles);
    }

    /**
     * The result of {@link #activate} is durable. Only now may the database remove these SSTables, by compaction or
     * otherwise, or replace a file of them, such as Statistics.db when the level changes: until then recovery after a
     * crash expects their files, unchanged, under their staged or live names, and withdraws a set with a live file that
     * is another one. After a crash either this method is called again, or the install is not repeated. If it throws,
     * whatever the code, the plan's result says that the table is live.
     */
    default void activated(UUID installId, TableRef table) {}

    /**
     * The database's permission to make a set of SSTables live; released when the set is live, or its install has
     * failed.
     */
    @FunctionalInterface
    interface Permit {
        /** Releases the permit. Called exactly once, even if the permit was revoked. */
        void release();

        /**
         * Whether the database has revoked the permit, for example because its own deadline has passed. Must answer
         * from memory. Called directly before the commit point; after a later revocation the database decides in
         * {@link #activate}.
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
            /** It was committed, and is live now. */
            FINISHED,
            /** It was live already; only its folder was removed. */
            CLEANED,
            /** It was removed: the database refused to activate it, or has dropped the table. */
            DISCARDED,
            /**
             * It waits for another start, because the table is unknown here, a volume is missing, or the database or
             * the disk failed. Whether it is committed, live already, or only retained is in the reason.
             */
            WAITING,
            /** It was not committed; received extents are retained for another attempt. */
            KEPT,
            /** It was not committed, and nothing of it can be used. */
            REMOVED,
            /** It could not be read: it is in {@code quarantine/}, with a text that explains why. */
            QUARANTINED
        }

        /**
         * One set of SSTables, of one table of one plan; or a file or folder that this node did not make.
         *
         * @param path its path
         * @param reason the reason for the decision, human-readable
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
