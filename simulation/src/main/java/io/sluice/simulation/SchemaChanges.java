package io.sluice.simulation;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.store.TableRef;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Changes to tables of a run while they are streamed: at sources, at receivers, or at both, at each node at a different
 * time. Remembers the changes, to decide what may be expected of plans afterwards. Not thread-safe.
 */
final class SchemaChanges {
    private static final long SPREAD_NANOS = 2_000_000_000L;

    private final World world;
    private final List<SourceDatabase> sources;
    private final List<ReceivingDatabase> receivers;
    private final List<TableRef> streamed;
    private final Set<UUID> changed = new HashSet<>();
    private long lastSchema = World.FIRST_SCHEMA;

    private enum Kind {
        DROP,
        DROP_AND_CREATE,
        TRUNCATE,
        ALTER
    }

    private enum Where {
        SOURCES,
        RECEIVERS,
        BOTH
    }

    /** Changes tables that the world has so far. */
    SchemaChanges(World world, List<SourceDatabase> sources, List<ReceivingDatabase> receivers) {
        this.world = world;
        this.sources = sources;
        this.receivers = receivers;
        this.streamed = List.copyOf(world.tables);
    }

    /** Whether a plan may fail to bring this table, with this error code. */
    boolean excuses(UUID tableId, ErrorCode why) {
        return changed.contains(tableId)
                && (why == ErrorCode.UNKNOWN_TABLE || why == ErrorCode.DISCARDED || why == ErrorCode.SCHEMA);
    }

    /** Changes one table within seconds; a truncation everywhere begins at the sources, as the operator must ensure. */
    void happen() {
        TableRef table = streamed.get(world.random.nextInt(streamed.size()));
        Kind kind = Kind.values()[world.random.nextInt(Kind.values().length)];
        Where where = Where.values()[world.random.nextInt(Where.values().length)];
        changed.add(table.id());
        world.note("people", kind + " of " + table.name() + " at " + where);
        long schema = ++lastSchema;
        List<Runnable> atSources = new ArrayList<>();
        List<Runnable> atReceivers = new ArrayList<>();
        for (SourceDatabase source : sources) {
            atSources.add(
                    switch (kind) {
                        case DROP, DROP_AND_CREATE -> () -> source.drop(table.id());
                        case TRUNCATE -> () -> source.truncate(table.id());
                        case ALTER -> () -> source.alter(table.id(), schema);
                    });
        }
        for (ReceivingDatabase receiver : receivers) {
            atReceivers.add(
                    switch (kind) {
                        case DROP -> () -> receiver.drop(table);
                        case DROP_AND_CREATE ->
                            () -> {
                                receiver.drop(table);
                                receiver.create(new TableRef(world.newUuid(), table.keyspace(), table.name()));
                            };
                        case TRUNCATE -> () -> receiver.truncate(table, where == Where.BOTH, receiver.process.isDown());
                        case ALTER -> () -> receiver.alter(table, schema);
                    });
        }
        if (kind == Kind.TRUNCATE && where != Where.RECEIVERS) {
            world.oracle.isEmptiedAtSources(table.id());
        }
        if (where != Where.RECEIVERS) {
            atSources.forEach(change -> world.scheduler.after(world.random.nextLong(SPREAD_NANOS), () -> true, change));
        }
        if (where != Where.SOURCES) {
            atReceivers.forEach(change ->
                    world.scheduler.after(SPREAD_NANOS + world.random.nextLong(SPREAD_NANOS), () -> true, change));
        }
    }
}
