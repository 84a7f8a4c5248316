package io.sluice.harness.agent;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.store.Authorizer;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables of a Cassandra node as seen by streaming: pinned by snapshots; received SSTables wait beside the tables
 * until the node imports them. Thread-safe.
 */
final class AgentStore implements TableStore {
    private static final Logger LOG = LoggerFactory.getLogger(AgentStore.class);
    private static final long KNOWN_NANOS = 2_000_000_000;

    private final ManagedNode node;
    private final List<Path> homes;
    private final Snapshots snapshots;
    private final Landings landings;
    private final ArrivedDigests arrived;
    private final SSTableIds ids;
    private final Map<UUID, UUID> plans = new ConcurrentHashMap<>();
    private Known known = new Known(List.of(), 0, false);

    /** The tables at a time. */
    private record Known(List<TableRef> tables, long nanos, boolean isSet) {}

    /** @param homes {@code .sluice} in each data directory */
    AgentStore(ManagedNode node, List<Path> homes, Snapshots snapshots, Landings landings, ArrivedDigests arrived)
            throws IOException {
        this.node = node;
        this.homes = List.copyOf(homes);
        this.snapshots = snapshots;
        this.landings = landings;
        this.arrived = arrived;
        for (Path home : homes) {
            Files.createDirectories(home.resolve("staging"));
        }
        this.ids = new SSTableIds(homes.get(0).resolve("next-sstable"));
    }

    private synchronized List<TableRef> tables() throws IOException {
        long now = System.nanoTime();
        if (!known.isSet() || now - known.nanos() > KNOWN_NANOS) {
            known = new Known(node.tables(), now, true);
        }
        return known.tables();
    }

    @Override
    public List<TableRef> knownTables() {
        return List.of(); // folders to land in are made when something lands
    }

    @Override
    public Optional<TableRef> table(UUID tableId) {
        try {
            return tables().stream().filter(table -> table.id().equals(tableId)).findFirst();
        } catch (IOException e) {
            // An empty result would mean that the table was dropped, and received SSTables would be removed.
            throw new StreamException(ErrorCode.INTERNAL, "cannot list the node's tables: " + e.getMessage());
        }
    }

    @Override
    public PinnedTable pin(UUID planId, TableRef table, TokenRanges ranges) throws IOException {
        return snapshots.view(table);
    }

    @Override
    public Path liveDirectory(TableRef table) throws IOException {
        return landings.folder(table, homes.get(0));
    }

    @Override
    public Path liveDirectory(TableRef table, Volume volume) throws IOException {
        return landings.folder(
                table, volume.stagingDirectory().resolveSibling("").normalize());
    }

    @Override
    public Path stagingDirectory() {
        return homes.get(0).resolve("staging");
    }

    @Override
    public List<Volume> volumes() {
        return homes.stream()
                .map(home -> home.resolve("staging"))
                .map(Volume::new)
                .toList();
    }

    @Override
    public String newId(TableRef table) throws IOException {
        return ids.next();
    }

    @Override
    public void arrived(UUID planId, TableRef table, Path dataFile) {
        arrived.begin(planId, dataFile);
    }

    @Override
    public Permit permit(UUID planId, UUID installId, TableRef table) {
        plans.put(installId, planId);
        return () -> LOG.debug("{} has landed, or not", table);
    }

    @Override
    public void activate(UUID installId, TableRef table, List<Path> dataFiles) throws IOException {
        UUID plan = plans.get(installId);
        if (plan == null || !landings.add(installId, plan, table, dataFiles)) {
            // An earlier run of this process began the install, and its plan is unknown now: the coordinator fetches
            // the table again.
            throw new StreamException(
                    ErrorCode.DISCARDED, table + " was received by a plan that this agent no longer knows");
        }
    }

    @Override
    public void activated(UUID installId, TableRef table) {
        plans.remove(installId);
    }

    /** Allows peers to fetch what is pinned for them, and nothing else. */
    Authorizer authorizer() {
        return new Authorizer() {
            @Override
            public Access mayFetch(Peer peer, UUID planId, TableRef table, TokenRanges ranges) {
                return snapshots
                        .refusal(peer.nodeId(), table)
                        .map(Access::denied)
                        .orElseGet(Access::granted);
            }
        };
    }
}
