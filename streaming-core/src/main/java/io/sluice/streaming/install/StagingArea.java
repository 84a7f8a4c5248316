package io.sluice.streaming.install;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.message.SSTableOffer;
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
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The staging directories of a node, one on each data volume: their locks, sets, and recovery. Owned by one process at
 * a time.
 *
 * <p>Thread-safe: different plans may use it at the same time.
 */
public final class StagingArea implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StagingArea.class);

    private final Volumes volumes;
    private final TableStore store;
    private final ReceivedSSTableCheck check;
    private final Installer installer;
    private final Epochs epochs;
    private final RecoveryReport recovered;
    private final Set<SetName> undecided;
    /** Volumes that could not be used at the start, and why. */
    private final Map<Path, String> missing;

    private StagingArea(Opened opened, TableStore store, Options options) {
        this.volumes = opened.volumes;
        this.store = store;
        this.check = options.check();
        this.epochs = opened.epochs;
        this.installer = opened.installer;
        this.recovered = opened.recovered;
        this.undecided = opened.undecided;
        this.missing = opened.missing;
    }

    /** What opening has found. */
    private record Opened(
            Volumes volumes,
            Epochs epochs,
            Installer installer,
            RecoveryReport recovered,
            Set<SetName> undecided,
            Map<Path, String> missing) {}

    /**
     * How a staging area is to be used. Immutable.
     *
     * @param check the last look at what arrived
     * @param node whose staging area it is: what another node has left in it is quarantined; empty if nobody is to be
     *     distinguished
     * @param ids for volumes, where there are several
     */
    public record Options(ReceivedSSTableCheck check, StagingLimits limits, Optional<UUID> node, Supplier<UUID> ids) {
        /** Each SSTable is opened before it is installed; the default limits. */
        public static final Options DEFAULTS = new Options(ReceivedSSTableCheck.opening(), StagingLimits.DEFAULTS);

        /** Of no node in particular, on one volume. */
        public Options(ReceivedSSTableCheck check, StagingLimits limits) {
            this(check, limits, Optional.empty(), () -> {
                throw new IllegalStateException("nobody gives ids to several volumes");
            });
        }
    }

    /**
     * Locks the staging directories and recovers what a crash left in them: committed sets become live; what has landed
     * of others is kept for a while, in case the transfer is tried again; what it cannot read is quarantined. Where the
     * database fails ({@link StreamException} or IOException), the set in question waits for the next start.
     *
     * @throws IOException if another process has one, or no volume can be used
     */
    public static StagingArea open(TableStore store, Disk disk) throws IOException {
        return open(store, disk, Options.DEFAULTS);
    }

    /**
     * The same, with other options.
     *
     * @throws IOException if another process has one, or no volume can be used
     */
    public static StagingArea open(TableStore store, Disk real, Options options) throws IOException {
        List<TableStore.Volume> wanted = store.volumes();
        Map<Path, String> missing = new LinkedHashMap<>();
        Set<Path> failed = new HashSet<>();
        BiConsumer<Path, String> onFailure = (root, why) -> {
            if (failed.add(root)) {
                LOG.error("{}: untrusted until this node restarts, nothing is installed there: {}", root, why);
                store.diskFailed(root, why);
            }
        };
        while (true) { // once more for each volume that fails while the others recover
            Volumes volumes = new Volumes(wanted.size() == 1);
            try {
                for (TableStore.Volume volume : wanted) {
                    if (!missing.containsKey(volume.stagingDirectory())) {
                        open(volume, store, real, options, volumes, missing, onFailure);
                    }
                }
                if (volumes.all().isEmpty()) {
                    throw new IOException("no data volume can be used: " + missing);
                }
                StagingArea area = new StagingArea(recover(volumes, store, options, missing), store, options);
                area.probe();
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

    /** Of several volumes, one that cannot be used is left out. */
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
            if (volumes.isAlone() || DirectoryInUseException.isIn(e)) {
                throw e;
            }
            String why = String.valueOf(e.getMessage());
            LOG.error("{}: this node starts without the volume", root, e);
            missing.put(root, why);
            onFailure.accept(root, why);
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
                    recovery.putAside(
                            volume, "it is of another node than this one, " + node + ": a copied data directory");
                }
                Owner.claim(volume.disk(), volume.root(), node);
            }
        }
        Epochs epochs = Epochs.open(volumes);
        return new Opened(volumes, epochs, installer, recovery.run(), recovery.undecided(), Map.copyOf(missing));
    }

    /** A table that cannot be installed keeps no other from being so, and no node from starting: the log says why. */
    private void probe() {
        VirtualMachineErrors fatal = new VirtualMachineErrors();
        try {
            probeAll();
        } catch (StreamException e) {
            fatal.note(e);
            LOG.error("{}: whether tables can be installed is not known: {}", root(), e.getMessage(), e);
        }
        fatal.handOn();
    }

    private void probeAll() {
        for (TableRef table : store.knownTables()) {
            for (StagingVolume volume : volumes.all()) {
                try {
                    DirectoryProbe.live(volume.disk(), volume.root(), store.liveDirectory(table, volume.spec()));
                } catch (IOException | StreamException e) {
                    LOG.error("{}: {}", table, e.getMessage(), e);
                }
            }
        }
    }

    /**
     * An operation is about to fetch: from now on those of older epochs install nothing in the same ranges.
     *
     * @throws StreamException of code {@link ErrorCode#FENCED} if a newer one was admitted before
     * @throws IOException if that cannot be made durable; then it was not admitted
     */
    public void admit(List<Fence> fences) throws IOException {
        epochs.admit(fences);
    }

    /** The set of a table of an operation whose database gives no epochs. */
    public StagedSet begin(UUID planId, TableRef table) throws IOException {
        return begin(planId, table, Fence.none(table.id()));
    }

    /**
     * The set of one table of one plan: a new one, or one that an earlier attempt at the same table has left.
     *
     * @param fence of the operation, which was admitted
     */
    public StagedSet begin(UUID planId, TableRef table, Fence fence) throws IOException {
        StagedSet set = new StagedSet(this, planId, table, fence, store.volumes());
        SetName name = set.name();
        if (undecided.contains(name)) {
            throw waits(name);
        }
        try {
            volumes.onEach(volume -> {
                if (volumes.isAlone()
                        || volume.abandoned().has(table.id())
                        || volume.folder(name).isThere()) {
                    set.part(volume);
                }
            });
            return set;
        } catch (IOException | RuntimeException | Error e) {
            set.close(); // what lies on other volumes is opened already
            throw e;
        }
    }

    private static IOException waits(SetName name) {
        return new IOException(name + " waits for a volume that is missing, as recovery has said: start this node again"
                + " when it is there, or fetch the table with another plan");
    }

    /** The volumes that may take an SSTable, in the order in which they are to be asked for room. */
    List<StagingVolume> placement(SSTableOffer offer, List<TableStore.Volume> wanted) throws IOException {
        if (volumes.isAlone()) {
            return volumes.all();
        }
        List<StagingVolume> asked = new ArrayList<>();
        List<Placement.Candidate> candidates = new ArrayList<>();
        volumes.onEach(volume -> {
            TokenRanges tokens = wanted.stream()
                    .filter(known -> known.stagingDirectory().equals(volume.root()))
                    .findFirst()
                    .map(TableStore.Volume::tokens)
                    .orElse(TokenRanges.NONE);
            candidates.add(new Placement.Candidate(tokens, volume.freeBytes()));
            asked.add(volume);
        });
        return Placement.order(candidates, offer.first(), offer.last()).stream()
                .map(asked::get)
                .toList();
    }

    Volumes volumes() {
        return volumes;
    }

    /**
     * Makes a table live that an earlier execution of the plan has committed; else does nothing. If the database does
     * not want it any more, it is removed.
     *
     * @return what became live now; empty if nothing did
     * @throws StreamException if the database fails
     * @throws IOException likewise, or if the disk fails; recovery will finish the work
     */
    public Optional<InstallSummary> finishCommitted(UUID planId, TableRef table) throws IOException {
        SetName name = SetName.of(planId, table.id());
        if (undecided.contains(name)) {
            throw waits(name);
        }
        return installer.finishCommitted(name, table);
    }

    /** Whether an earlier execution of the plan has committed the table, or may have, and not finished. */
    public boolean isCommitted(UUID planId, TableRef table) {
        SetName name = SetName.of(planId, table.id());
        return undecided.contains(name) || volumes.committed(name).isPresent();
    }

    ReceivedSSTableCheck check() {
        return check;
    }

    /**
     * Refuses to go on with a table that was dropped.
     *
     * @throws StreamException of code {@link ErrorCode#DISCARDED}
     */
    public void requireTable(TableRef table) {
        installer.requireTable(table);
    }

    Epochs epochs() {
        return epochs;
    }

    /**
     * Where a source may prepare what it sends: on the volume with most room. Immutable.
     *
     * @param root beside what lands there
     */
    public record Scratch(StagingArea area, Path root) {
        private StagingVolume volume() {
            return area.volumes.all().stream()
                    .filter(volume -> volume.root().equals(root))
                    .findFirst()
                    .orElseThrow();
        }

        /** On which it lies: its errors name file and operation, and after a failed sync it makes nothing durable. */
        public Disk disk() {
            return volume().disk();
        }

        /**
         * Reserves room for bytes that will be written there, at least 0: until {@link #release}.
         *
         * @throws StreamException of code {@link ErrorCode#DISK_FULL}, with the numbers, if there is not that much room
         */
        public void reserve(long lengthBytes) throws IOException {
            volume().reserve(lengthBytes);
        }

        /**
         * Releases room that {@link #reserve} has reserved: as soon as so many bytes are written, since the volume
         * counts them from then on, or when they will not come.
         */
        public void release(long lengthBytes) {
            volume().release(lengthBytes);
        }
    }

    /** A place for what is prepared now, on a volume that is trusted unless none is. */
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

    /** The place that lies in {@code root}. */
    public Scratch scratch(Path root) {
        return new Scratch(this, root.normalize());
    }

    /**
     * How many bytes may land now: free room, and what is kept of transfers that did not succeed, which their next
     * attempt need not fetch again; of all volumes, so that one large SSTable may find no room all the same. Another
     * transfer may take it in the next moment: who lands has to {@link StagedSet#land reserve} it.
     */
    public long roomBytes() throws IOException {
        long[] room = {0};
        volumes.onEach(volume -> room[0] = Math.addExact(
                room[0], Math.addExact(volume.freeBytes(), volume.abandoned().bytes())));
        return room[0];
    }

    /** The first staging directory that can be used: what is not of any table lies there. */
    public Path root() {
        return volumes.first().root();
    }

    /** All directories that something lands in first, human-readable. */
    public List<Path> roots() {
        return volumes.all().stream().map(StagingVolume::root).toList();
    }

    /** Bytes that room is reserved for, and that have not landed yet. */
    public long reservedBytes() {
        return volumes.all().stream().mapToLong(StagingVolume::reservedBytes).sum();
    }

    /**
     * Commits the set and makes it live; one that was committed before, and whose database has not answered, is made
     * live.
     *
     * @return how many SSTables became live
     * @throws StreamException of code {@link ErrorCode#DISCARDED} if the database does not want it: it is gone then
     * @throws IOException before the commit point nothing became live; after it, another call or recovery will finish
     *     the work
     */
    public int install(StagedSet set, UUID installId) throws IOException {
        return installer.install(set, installId);
    }

    /** Whether a set whose install failed has passed the commit point, or may have: then it must not be thrown away. */
    public boolean isCommitted(StagedSet set) {
        return volumes.committed(set.name()).isPresent() || (!volumes.isAlone() && set.mayBeCommitted());
    }

    /** Removes a set that shall not become live. */
    public void discard(StagedSet set) throws IOException {
        end(set, false);
    }

    /** Ends the use of a set that was not installed, and keeps what has landed of it for a later attempt. */
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

    /** Removes the directories of a plan, if it has no sets left. */
    public void end(UUID planId) throws IOException {
        volumes.onEach(volume -> volume.endPlan(planId.toString()));
    }

    /** Bytes that are kept of transfers that did not succeed, for their next attempt. */
    public long abandonedBytes() throws IOException {
        return volumes.all().stream()
                .mapToLong(volume -> volume.abandoned().bytes())
                .sum();
    }

    /**
     * Removes what is kept of transfers that broke off too long ago. To be called now and then: since the clock of the
     * wall may jump, an age counts only if it is seen twice, an hour of uptime apart.
     *
     * @param nowMillis since 1970, by the clock of the wall
     * @param uptimeNanos by a clock that only goes forward
     */
    public void expire(long nowMillis, long uptimeNanos) throws IOException {
        volumes.onEach(volume -> volume.abandoned().expire(nowMillis, uptimeNanos));
    }

    /** What was found when it was opened, and done about it. */
    public RecoveryReport recovered() {
        return recovered;
    }

    /** Why nothing more is installed in this process; empty as long as there is a volume to install to. */
    public Optional<String> untrustedReason() {
        return volumes.trusted().isEmpty() ? volumes.first().disk().untrustedReason() : Optional.empty();
    }

    /** The staging directories of volumes that are left alone until the next start, and why. */
    public Map<Path, String> failedVolumes() {
        Map<Path, String> failed = new LinkedHashMap<>(missing);
        volumes.all()
                .forEach(volume -> volume.disk().untrustedReason().ifPresent(why -> failed.put(volume.root(), why)));
        return failed;
    }

    /** Kept sets, sets in use, and what recovery quarantined; for tests and operators. */
    public List<Path> orphanedFiles() throws IOException {
        List<Path> left = new ArrayList<>();
        for (StagingVolume volume : volumes.all()) {
            left.addAll(volume.disk().list(volume.root()));
        }
        left.removeIf(path -> StagingVolume.isOwnFile(path.getFileName().toString()));
        return left;
    }

    /** Gives the locks back. */
    @Override
    public void close() {
        volumes.close();
    }
}
