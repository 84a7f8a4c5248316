package io.sluice.harness.scenario;

import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.ring.Membership;
import io.sluice.streaming.ring.Replication;
import io.sluice.streaming.ring.Replication.Tablet;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.util.List;
import java.util.UUID;

/** A ring while a change of it is in progress: {@link Ring#settled()} of that is the ring after it. Stateless. */
final class RingChange {
    private RingChange() {}

    /** The ring of {@code table} with what is about to change marked in it. */
    static Ring pending(TopologyChange change, TableRef table, Ring ring) {
        if (change instanceof TopologyChange.Bootstrap bootstrap) {
            return ring.with(bootstrap.joining().as(new Membership.Joining()));
        } else if (change instanceof TopologyChange.Replace replace) {
            return ring.with(replace.dead().down())
                    .with(replace.replacement()
                            .as(new Membership.Replacing(replace.dead().id())));
        } else if (change instanceof TopologyChange.Decommission decommission) {
            return ring.with(decommission.leaving().as(new Membership.Leaving()));
        } else if (change instanceof TopologyChange.RemoveNode remove) {
            return ring.with(remove.dead().down().as(new Membership.Leaving()));
        } else if (change instanceof TopologyChange.Move move) {
            return ring.with(move.mover().as(new Membership.Moving(move.tokens())));
        } else if (change instanceof TopologyChange.MigrateTablet migrate
                && migrate.table().equals(table)
                && ring.replication() instanceof Replication.Tablets tablets) {
            return ring.with(new Replication.Tablets(tablets.tablets().stream()
                    .map(tablet -> tablet.last().equals(migrate.last()) ? migrating(tablet, migrate) : tablet)
                    .toList()));
        }
        return ring; // a rebuild or a repair changes no ring, a migration none of another table
    }

    private static Tablet migrating(Tablet tablet, TopologyChange.MigrateTablet migrate) {
        List<UUID> after = tablet.replicas().stream()
                .map(id -> id.equals(migrate.from()) ? migrate.to() : id)
                .toList();
        return new Tablet(tablet.last(), tablet.replicas(), after);
    }
}
