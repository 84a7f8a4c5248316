package io.sluice.simulation;

import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.store.TableStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The data volumes of a receiver. Each may fail on its own: fill up, disappear until it is attached again, or fail a
 * sync. A single volume fails only with the whole disk. Not thread-safe.
 */
final class SimulatedVolumes {
    private static final int GONE = 400;
    private static final int BACK = 200;
    private static final int SYNC_FAILS = 400;
    private static final int FULL = 100;

    private final String name;
    private final SimulatedDisk disk;
    private final List<Path> roots;
    private final List<TableStore.Volume> all;

    /** @param random used only in runs with several volumes */
    SimulatedVolumes(String name, SimulatedDisk disk, int count, SplittableRandom random) {
        this.name = name;
        this.disk = disk;
        List<Path> made = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            made.add(count == 1 ? Path.of("/", name) : Path.of("/", name, "volume" + i));
        }
        this.roots = List.copyOf(made);
        this.all = named(roots, count > 1 && random.nextBoolean());
        if (count > 1) {
            disk.divide(roots);
            roots.forEach(disk::makeDurably);
        }
    }

    List<Path> roots() {
        return roots;
    }

    boolean isAlone() {
        return roots.size() == 1;
    }

    /** The volumes as the database names them. */
    List<TableStore.Volume> all() {
        return all;
    }

    private static List<TableStore.Volume> named(List<Path> roots, boolean isRingDivided) {
        List<TableStore.Volume> all = new ArrayList<>();
        long width = roots.isEmpty() ? 0 : (Long.MAX_VALUE / roots.size()) * 2;
        for (int i = 0; i < roots.size(); i++) {
            long start = Long.MIN_VALUE + i * width;
            long end = i == roots.size() - 1 ? Long.MIN_VALUE : start + width;
            all.add(new TableStore.Volume(
                    roots.get(i).resolve("staging"),
                    isRingDivided ? TokenRanges.of(TokenRange.of(start, end)) : TokenRanges.NONE));
        }
        return List.copyOf(all);
    }

    /** The volume of a file. */
    Path root(Path file) {
        return roots.stream().filter(file::startsWith).findFirst().orElseThrow();
    }

    boolean isGone(Path file) {
        return !isAlone() && disk.isGone(root(file));
    }

    boolean isAnyGone() {
        return !isAlone() && roots.stream().anyMatch(disk::isGone);
    }

    /** Injects the faults of a tenth of a second. */
    void injectFault(World world) {
        if (isAlone()) {
            return;
        }
        for (Path root : roots) {
            if (disk.isGone(root)) {
                if (world.volumes.nextInt(BACK) == 0) {
                    world.note(name, root + " is attached again");
                    disk.heal(root);
                }
            } else if (world.volumes.nextInt(GONE) == 0) {
                world.note(name, root + " disappears");
                disk.lose(root);
            } else if (world.volumes.nextInt(SYNC_FAILS) == 0) {
                disk.failNextSync(root);
            }
            if (world.volumes.nextInt(FULL) == 0) {
                disk.limit(root, world.volumes.nextBoolean() ? world.volumes.nextInt(3_000) : Long.MAX_VALUE);
            }
        }
    }

    /** Repairs all volumes, for a process that starts now. */
    void heal() {
        for (Path root : roots) {
            disk.heal(root);
            disk.limit(root, Long.MAX_VALUE);
        }
    }
}
