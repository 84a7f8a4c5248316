package io.sluice.simulation;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.StagingArea;
import io.sluice.streaming.install.StagingLimits;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A node that receives: a disk, a database, the production staging area, and the plans that it executes. */
final class ReceivingNode extends SimulatedNode {
    private static final long RESTART_NANOS = 3_000_000_000L;

    final SimulatedDisk disk;
    final SimulatedStore store;
    private final List<RunningPlan> plans = new ArrayList<>();
    private @Nullable StagingArea staging;

    ReceivingNode(World world, String name) {
        super(world, name);
        this.disk = new SimulatedDisk(world.random.split());
        this.store = new SimulatedStore(world, node.id(), name, disk, this::diskFailed);
        for (TableRef table : world.tables) {
            disk.makeDurably(store.liveDirectory(table));
        }
    }

    /** Opens the staging area, which recovers; tried again until it succeeds, as an operator would. */
    void open() {
        Disk seen =
                world.mutant.<Disk>map(mutant -> new MutantDisk(disk, mutant)).orElse(disk);
        try {
            staging = StagingArea.open(
                    store, seen, new StagingArea.Options(this::check, StagingLimits.DEFAULTS, Optional.of(node.id())));
            store.restart();
            plans.forEach(RunningPlan::begin);
        } catch (IOException | AssertionError e) {
            world.note(name, "does not start: " + e.getMessage());
            if (world.isCalm() && !String.valueOf(e.getMessage()).contains("injected")) {
                throw new Violation(name + ": does not start: " + e.getMessage());
            }
            disk.die(false);
            store.die();
            world.scheduler.after(RESTART_NANOS, alive(), this::open);
        } catch (Crash e) {
            die(world.happens(world.faults.of(Faults.Kind.POWER_LOSS)));
        }
    }

    /** An operator starts the node again, some time after it has said that its disk cannot be believed. */
    private void diskFailed() {
        world.note(name, "believes its disk no longer");
        world.scheduler.after(world.random.nextLong(RESTART_NANOS), alive(), () -> die(false));
    }

    /** Before something is tried again that the disk has failed, its node is started again. */
    void restartIfSuspect() {
        if (opened().flatMap(StagingArea::suspicion).isPresent()) {
            die(false);
        }
    }

    /** Grows with each operation of the disk, and of the database, also across restarts. */
    long changes() {
        return disk.operations() + store.changes();
    }

    /** Whether its process is not there, or has not come up yet. */
    boolean isDown() {
        return isDead() || staging == null;
    }

    StagingArea staging() {
        if (staging == null) {
            throw new IllegalStateException(name + " is not open");
        }
        return staging;
    }

    Optional<StagingArea> opened() {
        return Optional.ofNullable(staging);
    }

    /** Executes a plan, now if the node is up, and again after each crash until it has ended. */
    RunningPlan execute(StreamPlan plan) {
        RunningPlan running = new RunningPlan(this, plan);
        plans.add(running);
        if (!isDead() && staging != null) {
            running.begin();
        }
        return running;
    }

    /** Runs something that touches the disk: the process may die in the middle of it. */
    void work(Runnable work) {
        try {
            work.run();
        } catch (Crash e) {
            die(world.happens(world.faults.of(Faults.Kind.POWER_LOSS)));
        }
    }

    @Override
    void die(boolean powerToo) {
        super.die(powerToo);
        staging = null;
        plans.forEach(RunningPlan::die);
        disk.die(powerToo);
        store.die();
        world.scheduler.after(RESTART_NANOS, () -> true, () -> {
            if (isDead()) {
                restart();
            }
        });
    }

    @Override
    void restart() {
        super.restart();
        open();
    }

    private void check(Path directory, Descriptor descriptor, SSTableOffer offer, TokenRanges ranges)
            throws IOException {
        List<Row> rows = SimulatedSSTable.rows(disk.content(directory.resolve(descriptor.fileName(Component.DATA))));
        boolean isInside =
                rows.stream().allMatch(row -> ranges.contains(new io.sluice.sstable.token.Token(row.token())));
        if (!isInside && !world.is(Mutant.SKIP_RANGE_CHECK)) {
            throw new StreamException(ErrorCode.OUT_OF_RANGE, offer.source() + ": more than was asked for");
        }
    }
}
