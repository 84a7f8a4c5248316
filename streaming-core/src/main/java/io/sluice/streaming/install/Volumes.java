package io.sluice.streaming.install;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The usable volumes of a node, in the order of its database. Thread-safe. */
final class Volumes {
    private static final Logger LOG = LoggerFactory.getLogger(Volumes.class);

    private final List<StagingVolume> all = new CopyOnWriteArrayList<>();
    private final boolean isAlone;

    /** @param isAlone whether the database has only one volume, present or not */
    Volumes(boolean isAlone) {
        this.isAlone = isAlone;
    }

    void add(StagingVolume volume) throws IOException {
        for (StagingVolume other : all) {
            if (volume.id().isPresent() && other.id().equals(volume.id())) {
                throw new IOException(volume + " is a copy of " + other + ", with its id in " + VolumeId.NAME
                        + " (expected: its own id); remove the copy");
            }
        }
        all.add(volume);
    }

    boolean isAlone() {
        return isAlone;
    }

    List<StagingVolume> all() {
        return all;
    }

    List<StagingVolume> trusted() {
        return all.stream().filter(StagingVolume::isTrusted).toList();
    }

    /** Whether another volume than that of {@code root} is trusted. */
    boolean hasOthers(Path root) {
        return all.stream().anyMatch(volume -> !volume.root().equals(root) && volume.isTrusted());
    }

    /** The volume that a commit file refers to by its id; {@code home}, the commit file's own, without an id. */
    Optional<StagingVolume> find(StagingVolume home, Optional<UUID> id) {
        return id.isEmpty() ? Optional.of(home) : find(id.get());
    }

    Optional<StagingVolume> find(UUID id) {
        return all.stream()
                .filter(volume -> volume.id().filter(id::equals).isPresent())
                .findFirst();
    }

    /** The first trusted volume; if none is, the first. */
    StagingVolume first() {
        return trusted().stream().findFirst().orElseGet(() -> all.get(0));
    }

    /** A step to perform on each volume. */
    interface Step {
        void on(StagingVolume volume) throws IOException;
    }

    /**
     * Performs a step on each trusted volume; skips a volume that becomes untrusted by it.
     *
     * @throws IOException if it fails on a volume that stays trusted, or no volume is left
     */
    void onEach(Step step) throws IOException {
        for (StagingVolume volume : all) {
            if (!volume.isTrusted() && hasOthers(volume.root())) {
                continue;
            }
            try {
                step.on(volume);
            } catch (IOException e) {
                if (volume.isTrusted() || !hasOthers(volume.root())) {
                    throw e;
                }
                LOG.warn("{}: skipped: {}", volume, e.getMessage());
            }
        }
    }

    /** The existing folders of a set on all volumes. */
    List<SetFolder> folders(SetName name) {
        return all.stream()
                .map(volume -> volume.folder(name))
                .filter(SetFolder::isThere)
                .toList();
    }

    /** The folder with the commit file of a set, if it is committed. */
    Optional<SetFolder> committed(SetName name) {
        return all.stream()
                .map(volume -> volume.folder(name))
                .filter(SetFolder::isCommitted)
                .findFirst();
    }

    void close() {
        all.forEach(StagingVolume::close);
    }
}
