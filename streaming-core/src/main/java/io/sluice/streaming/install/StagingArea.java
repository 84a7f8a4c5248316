package io.sluice.streaming.install;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.log.SystemError;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.progress.StreamActivity.VolumeSample;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import io.sluice.streaming.store.TableStore.RecoveryReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The staging directories of a node, one on each data volume: their locks, sets, and recovery. Owned by one process at
 * a time.
 *
 * <p>Thread-safe: different plans may use it at the same time. Long because every use of the staging directories passes
 * through here: start and recovery, sets, room and failed volumes.
 */
public final class StagingArea implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StagingArea.class);

    /** The names of folders with temporary files of a source begin with it; a start removes them. */
    public static final String SLICES = "slices-";

    private final Volumes volumes;
    private final TableStore store;
    private final boolean buildsIndexes;
    private final ReceivedSSTableCheck check;
    private final Installer installer;
    private final Epochs epochs;
    private final RecoveryReport recovered;
    private final Set<SetName> undecided;
    /** Volumes that were unusable at the start, and why. */
    private final Map<Path, String> missing;

    private StagingArea(Opened opened, TableStore store, Options options) {
        this.volumes = opened.volumes;
        this.store = store;
        this.buildsIndexes = store.buildsIndexes();
        this.check = options.check();
        this.epochs = opened.epochs;
        this.installer = opened.installer;
        this.recovered = opened.recovered;
        this.undecided = opened.undecided;
        this.missing = opened.missing;
    }

    /** The result of opening. */
    private record Opened(
            Volumes volumes,
            Epochs epochs,
            Installer installer,
            RecoveryReport recovered,
            Set<SetName> undecided,
            Map<Path, String> missing) {}

    /**
     * Options of a staging area. Immutable.
     *
     * @param check the verification of received SSTables
     * @param node the owner: data of another node is quarantined; empty if owners are not checked
     * @param ids supplies ids of volumes, if there are several
     */
    public record Options(ReceivedSSTableCheck check, StagingLimits limits, Optional<UUID> node, Supplier<UUID> ids) {
        /** Opens each SSTable before it is installed; default limits. */
        public static final Options DEFAULTS = new Options(ReceivedSSTableCheck.opening(), StagingLimits.DEFAULTS);

        /** Options without owner, for one volume. */
        public Options(ReceivedSSTableCheck check, StagingLimits limits) {
            this(check, limits, Optional.empty(), () -> {
                throw new IllegalStateException("several volumes need a supplier of ids");
            });
        }
    }

    /**
     * Locks the staging directories and recovers their sets: committed ones become live, received data of others is
     * retained for another attempt, unreadable ones are quarantined. If the database fails ({@link StreamException} or
     * IOException), the set waits for the next start.
     *
     * @throws IOException if another process uses a directory, or no volume is usable; or if this thread is
     *     interrupted: then no set was moved or removed for that, and no volume counts as failed
     */
    public static StagingArea open(TableStore store, Disk disk) throws IOException {
        return open(store, disk, Options.DEFAULTS);
    }

    /**
     * Opens a staging area with other options.
     *
     * @throws IOException as {@link #open(TableStore, Disk)}, or if a staging directory contains another one or the
     *     live folder of a known table: then nothing was removed
     */
    public static StagingArea open(TableStore store, Disk real, Options options) throws IOException {
        List<TableStore.Volume> wanted = store.volumes();
        LiveFolders.requireStagingApart(wanted);
        Map<Path, String> missing = new LinkedHashMap<>();
        Set<Path> failed = new HashSet<>();
        BiConsumer<Path, String> onFailure = (root, why) -> {
            if (failed.add(root)) {
                LOG.error("{}: untrusted until this node restarts, nothing is installed there: {}", root, why);
                store.diskFailed(root, why);
            }
        };
        while (true) { // repeated for each volume that fails while the others recover
            Volumes volumes = new Volumes(wanted.size() == 1);
            try {
                for (TableStore.Volume volume : wanted) {
                    if (!missing.containsKey(volume.stagingDirectory())) {
                        open(volume, store, real, options, volumes, missing, onFailure);
                    }
                }
                if (volumes.all().isEmpty()) {
                    throw new IOException("no data volume is usable: " + missing);
                }
                LiveFolders live = LiveFolders.ask(store, volumes.all());
                live.requireApart(wanted);
                StagingArea area = new StagingArea(recover(volumes, store, options, missing), store, options);
                live.probe();
                return area;
            } catch (IOException | RuntimeException | Error e) {
                volumes.close();
                List<StagingVolume> lost = volumes.all().stream()
                        .filter(volume -> !volume.isTrusted())
                        .toList();
                if (!(e instanceof IOException)
                        || lost.isEmpty()
                        || lost.size() == volumes.all().size()) {
                    throw e;
                }
                lost.forEach(volume -> missing.put(
                        volume.root(), volume.disk().untrustedReason().orElse("")));
            }
        }
    }

    /** Opens a volume; with several volumes, leaves out an unusable one. */
    private static void open(
            TableStore.Volume volume,
            TableStore store,
            Disk real,
            Options options,
            Volumes volumes,
            Map<Path, String> missing,
            BiConsumer<Path, String> onFailure)
            throws IOException {
        Path root = volume.stagingDirectory();
        StagingVolume.How how = new StagingVolume.How(
                options.limits(),
                () -> volumes.hasOthers(root),
                why -> onFailure.accept(root, why),
                volumes.isAlone() ? Optional.empty() : Optional.of(options.ids()),
                table -> store.table(table).isEmpty() && store.isDropped(table));
        StagingVolume opened;
        try {
            opened = StagingVolume.open(real, volume, how);
        } catch (IOException e) {
            boolean isInterrupted = Thread.currentThread().isInterrupted(); // no failure of this volume
            if (volumes.isAlone() || isInterrupted || DirectoryInUseException.isIn(e)) {
                throw e;
            }
            String why = String.valueOf(e.getMessage());
            LOG.error("{}: this node starts without the volume", root, e);
            missing.put(root, why);
            if (!SystemError.isFull(e)) { // a full disk serves what it has; a directory that it cannot make has no sets
                onFailure.accept(root, why);
            }
            return;
        }
        try {
            volumes.add(opened);
        } catch (IOException e) {
            opened.close();
            throw e;
        }
    }

    private static Opened recover(Volumes volumes, TableStore store, Options options, Map<Path, String> missing)
            throws IOException {
        Installer installer = new Installer(volumes, store);
        Recovery recovery = new Recovery(volumes, store, installer);
        for (StagingVolume volume : volumes.all()) {
            if (options.node().isPresent()) {
                UUID node = options.node().get();
                if (Owner.isOfAnother(volume.disk(), volume.root(), node)) {
                    recovery.putAside(volume, "it belongs to another node than " + node + " (a copied data directory)");
                }
                Owner.claim(volume.disk(), volume.root(), node);
            }
        }
        Epochs epochs = Epochs.open(volumes, installer::isDropped);
        return new Opened(volumes, epochs, installer, recovery.run(), recovery.undecided(), Map.copyOf(missing));
    }

    /**
     * Admits an operation: from now on operations of older epochs install nothing in the same ranges.
     *
     * @throws StreamException of code {@link ErrorCode#FENCED} if a newer one was admitted before; of code
     *     {@link ErrorCode#LIMIT} if the epochs would be too many to be read at the next start
     * @throws IOException if the epoch cannot be made durable; then the operation is not admitted
     */
    public void admit(List<Fence> fences) throws IOException {
        epochs.admit(fences);
    }

    /** Whether the database builds indexes of SSTables without index files, as it answered at the start. */
    public boolean buildsIndexes() {
        return buildsIndexes;
    }

    /** Begins a set for a database without epochs. */
    public StagedSet begin(UUID planId, TableRef table) throws IOException {
        return begin(planId, table, Fence.none(table.id()));
    }

    /**
     * Begins the set of one table of one plan: a new one, or a retained one of an earlier attempt.
     *
     * @param fence of the admitted operation
     */
    public StagedSet begin(UUID planId, TableRef table, Fence fence) throws IOException {
        StagedSet set = new StagedSet(this, planId, table, fence, store.volumes());
        SetName name = set.name();
        if (undecided.contains(name)) {
            throw waits(name);
        }
        try {
            volumes.onEach(volume -> {
                if (volumes.isAlone()) {
                    set.part(volume);
                } else if (volume.abandoned().has(table.id())
                        || volume.folder(name).isThere()) {
                    set.hasPart(volume); // a full one keeps what it retains for a later attempt
                }
            });
            return set;
        } catch (IOException | RuntimeException | Error e) {
            set.close(); // parts on other volumes are already open
            throw e;
        }
    }

    private static IOException waits(SetName name) {
        return new IOException(name + " waits for the next start (see the recovery report): restart this node when its"
                + " volumes are present and can be read, or fetch the table with another plan");
    }

    /** The possible volumes of an SSTable, in order of preference. */
    List<StagingVolume> placement(SSTableOffer offer, List<TableStore.Volume> wanted) throws IOException {
        if (volumes.isAlone()) {
            return volumes.all();
        }
        List<StagingVolume> asked = new ArrayList<>();
        List<VolumePlacement.Candidate> candidates = new ArrayList<>();
        volumes.onEach(volume -> {
            TokenRanges tokens = wanted.stream()
                    .filter(known -> known.stagingDirectory().equals(volume.root()))
                    .findFirst()
                    .map(TableStore.Volume::tokens)
                    .orElse(TokenRanges.NONE);
            candidates.add(new VolumePlacement.Candidate(tokens, volume.freeBytes()));
            asked.add(volume);
        });
        return VolumePlacement.order(candidates, offer.first(), offer.last()).stream()
                .map(asked::get)
                .toList();
    }

    Volumes volumes() {
        return volumes;
    }

    /**
     * Makes a table live that an earlier execution of the plan has committed; otherwise does nothing. If the database
     * rejects the set, it is removed.
     *
     * @return what became live in this call; empty if nothing did
     * @throws StreamException if the database fails
     * @throws IOException if the database or the disk fails; recovery will finish the install
     */
    public Optional<InstallSummary> finishCommitted(UUID planId, TableRef table) throws IOException {
        SetName name = SetName.of(planId, table.id());
        if (undecided.contains(name)) {
            throw waits(name);
        }
        return installer.finishCommitted(name, table);
    }

    /** Whether an earlier execution of the plan has, or may have, committed the table without finishing the install. */
    public boolean isCommitted(UUID planId, TableRef table) {
        SetName name = SetName.of(planId, table.id());
        return undecided.contains(name) || volumes.committed(name).isPresent();
    }

    ReceivedSSTableCheck check() {
        return check;
    }

    /**
     * Checks that a table was not dropped.
     *
     * @throws StreamException of code {@link ErrorCode#DISCARDED}
     */
    void requireTable(TableRef table) {
        installer.requireTable(table);
    }

    Epochs epochs() {
        return epochs;
    }

    /**
     * A directory in which a source prepares files: on the volume with most free space. Immutable.
     *
     * @param root in a staging directory
     */
    public record Scratch(StagingArea area, Path root) {
        private StagingVolume volume() {
            return area.volumes.all().stream()
                    .filter(volume -> volume.root().equals(root))
                    .findFirst()
                    .orElseThrow();
        }

        /**
         * The disk of the directory: its errors name file and operation, and after a failed sync it makes nothing
         * durable.
         */
        public Disk disk() {
            return volume().disk();
        }

        /**
         * Reserves space for bytes that will be written there, at least 0, until {@link #release}.
         *
         * @throws StreamException of code {@link ErrorCode#DISK_FULL}, with the numbers, if there is not enough space
         */
        public void reserve(long lengthBytes) throws IOException {
            volume().reserve(lengthBytes);
        }

        /**
         * Releases reserved space when the bytes are written, because they then reduce the free space of the volume, or
         * when they are not needed.
         */
        public void release(long lengthBytes) {
            volume().release(lengthBytes);
        }
    }

    /** A directory for new preparations, on a trusted volume if there is one. */
    public Scratch scratch() {
        StagingVolume best = volumes.first();
        long most = -1;
        for (StagingVolume volume : volumes.isAlone() ? List.<StagingVolume>of() : volumes.trusted()) {
            try {
                long free = volume.freeBytes();
                best = free > most ? volume : best;
                most = Math.max(free, most);
            } catch (IOException e) {
                LOG.warn("{}: cannot prepare slices there: {}", volume, e.getMessage());
            }
        }
        return new Scratch(this, best.root());
    }

    /** The directory {@code root}. */
    public Scratch scratch(Path root) {
        return new Scratch(this, root.normalize());
    }

    /**
     * The bytes that can be received now: the free space, and retained data of failed plans, which need not be fetched
     * again, or is removed when its space is needed. The sum over all volumes, so one large SSTable may still not fit.
     * Other transfers may use the space at any time: it must be {@link StagedSet#land reserved}.
     */
    public long roomBytes() throws IOException {
        long[] room = {0};
        volumes.onEach(volume -> room[0] = Math.addExact(room[0], volume.roomBytes()));
        return room[0];
    }

    /** The first usable staging directory, which has the files that belong to no table. */
    public Path root() {
        return volumes.first().root();
    }

    /** All staging directories, for messages. */
    public List<Path> roots() {
        return volumes.all().stream().map(StagingVolume::root).toList();
    }

    /** Reserved bytes that have not been received yet. */
    public long reservedBytes() {
        return volumes.all().stream().mapToLong(StagingVolume::reservedBytes).sum();
    }

    /**
     * Commits the set and makes it live; a set that was already committed is only made live.
     *
     * @return the number of SSTables that became live
     * @throws StreamException of code {@link ErrorCode#DISCARDED} if the database rejects the set, which is then
     *     removed
     * @throws IOException if the install fails: before the commit point nothing became live; after it, another call or
     *     recovery will finish the install
     */
    public int install(StagedSet set, UUID installId) throws IOException {
        return installer.install(set, installId);
    }

    /** Whether a set whose install failed is, or may be, committed: then it must not be removed. */
    public boolean isCommitted(StagedSet set) {
        return volumes.committed(set.name()).isPresent() || (!volumes.isAlone() && set.mayBeCommitted());
    }

    /** What becomes of a set whose install failed. */
    public Outlook outlook(StagedSet set) {
        return isCommitted(set) ? installer.outlook(set.name()) : Outlook.NOT_COMMITTED;
    }

    /** What becomes of a table that an earlier execution of the plan has, or may have, committed. */
    public Outlook outlook(UUID planId, TableRef table) {
        return isCommitted(planId, table) ? installer.outlook(SetName.of(planId, table.id())) : Outlook.NOT_COMMITTED;
    }

    /** Removes a set that must not become live. */
    public void discard(StagedSet set) throws IOException {
        end(set, false);
    }

    /** Ends the use of a set that was not installed, and retains its received data for a later attempt. */
    public void abandon(StagedSet set) throws IOException {
        end(set, true);
    }

    private void end(StagedSet set, boolean isKept) throws IOException {
        set.close();
        if (isCommitted(set)) {
            return;
        }
        List<SetFolder> folders = set.folders();
        volumes.onEach(volume -> {
            SetFolder folder = volume.folder(set.name());
            if (!folders.contains(folder)) {
                return;
            }
            if (isKept && set.isWorthKeeping(folder)) {
                volume.abandoned().add(set.table().id(), folder.path());
            } else {
                folder.discard();
            }
        });
    }

    /** Removes the directories of a plan if they have no sets. */
    public void end(UUID planId) throws IOException {
        volumes.onEach(volume -> volume.endPlan(planId.toString()));
    }

    /** Retained bytes of failed plans. */
    public long abandonedBytes() throws IOException {
        return volumes.all().stream()
                .mapToLong(volume -> volume.abandoned().bytes())
                .sum();
    }

    /**
     * Removes retained data that is too old. To be called periodically: because the wall clock may jump, a set must be
     * found too old twice, an hour of uptime apart.
     *
     * @param nowMillis since 1970, by the wall clock
     * @param uptimeNanos by a monotonic clock
     */
    public void expire(long nowMillis, long uptimeNanos) throws IOException {
        volumes.onEach(volume -> volume.abandoned().expire(nowMillis, uptimeNanos));
    }

    /** What recovery found and did when the staging area was opened. */
    public RecoveryReport recovered() {
        return recovered;
    }

    /** Why this process installs nothing more; empty while a volume is usable. */
    public Optional<String> untrustedReason() {
        return volumes.trusted().isEmpty() ? volumes.first().disk().untrustedReason() : Optional.empty();
    }

    /** The staging directories of volumes that are unused until the next start, and why. */
    public Map<Path, String> failedVolumes() {
        Map<Path, String> failed = new LinkedHashMap<>(missing);
        volumes.all()
                .forEach(volume -> volume.disk().untrustedReason().ifPresent(why -> failed.put(volume.root(), why)));
        return failed;
    }

    /**
     * Measures the free space of each volume; to be called periodically.
     *
     * @param disks runs one blocking task for each volume: a hanging disk occupies one thread
     */
    public void measure(Executor disks) {
        volumes.all().forEach(volume -> disks.execute(volume::measure));
    }

    /**
     * The last {@link #measure measured} state of each volume, including those that were missing at the start. From
     * memory.
     */
    public List<VolumeSample> samples() {
        List<VolumeSample> samples = new ArrayList<>();
        volumes.all().forEach(volume -> samples.add(volume.sample()));
        missing.forEach((root, why) -> samples.add(new VolumeSample(root, 0, 0, 0, 0, Optional.of(why))));
        return samples;
    }

    /** Releases the locks. */
    @Override
    public void close() {
        volumes.close();
    }
}
