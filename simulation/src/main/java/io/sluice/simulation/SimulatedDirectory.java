package io.sluice.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The names in a directory: those that programs see, and those that survive a power loss. */
final class SimulatedDirectory {
    private final Map<String, Object> cache = new TreeMap<>();
    private final Map<String, Object> platter = new TreeMap<>();
    private final List<Unsynced> unsynced = new ArrayList<>();
    private final List<String> added = new ArrayList<>();

    /** Whether an unsynced change survives a power loss: drawn once, for all directories that it affects. */
    private static final class Fate {
        private @Nullable Boolean isKept;

        boolean isKept(SplittableRandom random) {
            if (isKept == null) {
                isKept = random.nextBoolean();
            }
            return isKept;
        }
    }

    private record Unsynced(List<Change> changes, Fate fate) {}

    /** @param node a file or a directory; null if the name is removed */
    private record Change(String name, @Nullable Object node) {
        void applyTo(Map<String, Object> names) {
            if (node == null) {
                names.remove(name);
            } else {
                names.put(name, node);
            }
        }
    }

    @Nullable
    Object get(String name) {
        return cache.get(name);
    }

    Map<String, Object> names() {
        return cache;
    }

    /** All names that were ever added, in order: a list that grows. */
    List<String> added() {
        return Collections.unmodifiableList(added);
    }

    Map<String, Object> durableNames() {
        return platter;
    }

    void put(String name, Object node) {
        change(List.of(new Change(name, node)));
    }

    void remove(String name) {
        change(List.of(new Change(name, null)));
    }

    /** Removes one name and adds the other atomically, also on the platter. */
    void rename(String from, String to, Object node) {
        change(List.of(new Change(from, null), new Change(to, node)));
    }

    /** Moves a name between directories; both changes happen or neither, also on the platter, as in file systems. */
    void move(String from, SimulatedDirectory target, String to, Object node) {
        Fate fate = new Fate();
        target.change(List.of(new Change(to, node)), fate);
        change(List.of(new Change(from, null)), fate);
    }

    private void change(List<Change> changes) {
        change(changes, new Fate());
    }

    private void change(List<Change> changes, Fate fate) {
        for (Change change : changes) {
            change.applyTo(cache);
            if (change.node() != null) {
                added.add(change.name());
            }
        }
        unsynced.add(new Unsynced(changes, fate));
    }

    void sync() {
        for (Unsynced each : unsynced) {
            each.fate().isKept = true;
            each.changes().forEach(change -> change.applyTo(platter));
        }
        unsynced.clear();
    }

    /** Loses power: each unsynced change has either happened or not. */
    void losePower(SplittableRandom random) {
        for (Unsynced each : unsynced) {
            if (each.fate().isKept(random)) {
                each.changes().forEach(change -> change.applyTo(platter));
            }
        }
        unsynced.clear();
        cache.clear();
        cache.putAll(platter);
        for (Object node : cache.values()) {
            if (node instanceof SimulatedDirectory directory) {
                directory.losePower(random);
            } else if (node instanceof SimulatedFile file) {
                file.losePower(random);
            }
        }
    }
}
