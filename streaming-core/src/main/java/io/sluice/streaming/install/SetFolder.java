package io.sluice.streaming.install;

import io.sluice.sstable.component.Descriptor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder of a set, or of a part of it, on one volume. Immutable.
 *
 * @param path of the folder
 */
record SetFolder(StagingVolume volume, SetName name, Path path) {
    /** The file that notes the answer of the database. */
    static final String LIVE = "LIVE";

    private static final byte[] REFUSED = {'r', 'e', 'f', 'u', 's', 'e', 'd', '\n'};

    private static final Logger LOG = LoggerFactory.getLogger(SetFolder.class);

    SetFolder(StagingVolume volume, SetName name) {
        this(volume, name, volume.root().resolve(name.plan()).resolve(name.table()));
    }

    Disk disk() {
        return volume.disk();
    }

    private Path file(String fileName) {
        return path().resolve(fileName);
    }

    boolean isThere() {
        return disk().isDirectory(path());
    }

    private boolean has(String fileName) {
        return disk().exists(file(fileName));
    }

    /** Whether it is a part of a set with its commit file on another volume. */
    boolean isPart() {
        return has(CommitPart.NAME);
    }

    /** Whether the commit file is in this folder. Of its two copies it is published last. */
    boolean isCommitted() {
        return !isPart() && (has(CommitFile.NAME) || has(LIVE));
    }

    /** Whether the database has answered, so that only this folder must be removed. */
    boolean isLive() {
        return has(LIVE);
    }

    /** Whether it is a part of a set whose answer is not noted here yet. */
    boolean isPending() {
        return isPart() && !isLive();
    }

    /**
     * Reads the commit file, or its copy if the file is corrupt or cannot be read.
     *
     * @return empty if both are corrupt, or there is none
     * @throws IOException if the disk fails at both, or at one and the other is corrupt
     */
    Optional<CommitFile> commit() throws IOException {
        IOException unread = null;
        for (String copy : new String[] {CommitFile.NAME, CommitFile.COPY_NAME}) {
            Path file = file(copy);
            if (disk().exists(file)) {
                try {
                    return Optional.of(CommitFile.decode(disk().read(file, CommitFile.MAX_LENGTH_BYTES)));
                } catch (UnreadableLineException damaged) {
                    LOG.error("{}: {}", file, damaged.getMessage());
                } catch (IOException badSector) {
                    LOG.error("{}: {}", file, badSector.getMessage());
                    unread = badSector;
                }
            }
        }
        if (unread != null) {
            throw unread;
        }
        return Optional.empty();
    }

    /**
     * Reads the note that this is a part of a commit.
     *
     * @return empty if the note is corrupt, or there is none
     * @throws IOException if the disk fails
     */
    Optional<CommitPart> part() throws IOException {
        if (isPart()) {
            try {
                return Optional.of(CommitPart.decode(disk().read(file(CommitPart.NAME), CommitPart.MAX_LENGTH_BYTES)));
            } catch (UnreadableLineException damaged) {
                LOG.error("{}: {}", file(CommitPart.NAME), damaged.getMessage());
            }
        }
        return Optional.empty();
    }

    /**
     * Notes the answer of the database; durable when this returns.
     *
     * @param isRefused whether the database rejected the set
     */
    void noteLive(boolean isRefused) throws IOException {
        byte[] note = isRefused
                        && (isPart()
                                || commit().filter(
                                                known -> !known.otherVolumes().isEmpty())
                                        .isPresent())
                ? REFUSED
                : new byte[0];
        disk().publish(file(LIVE), note);
    }

    /** Whether the noted answer is a rejection; for a set on several volumes. */
    boolean isRefused() throws IOException {
        return disk().size(file(LIVE)) > 0;
    }

    /** Removes the note of a commit that did not happen. */
    void forgetPart() throws IOException {
        if (isPart()) {
            disk().delete(file(CommitPart.NAME));
            disk().syncDirectory(path());
        }
    }

    /** The table id in its name. */
    Optional<UUID> tableId() {
        try {
            return Optional.of(UUID.fromString(name.table()));
        } catch (IllegalArgumentException e) {
            LOG.info("recovery: {} is not named after a table", path(), e);
            return Optional.empty();
        }
    }

    boolean hasDirectory() throws IOException {
        for (Path file : disk().list(path())) {
            if (disk().isDirectory(file)) {
                return true;
            }
        }
        return false;
    }

    /** The names of component files in it, TOC files first: an SSTable without TOC is incomplete. */
    List<String> components() throws IOException {
        List<String> names = new ArrayList<>();
        for (Path file : disk().list(path())) {
            String fileName = file.getFileName().toString();
            if (Descriptor.ofFile(fileName).isPresent()) {
                names.add(fileName.endsWith("TOC.txt") ? 0 : names.size(), fileName);
            }
        }
        return names;
    }

    /** Removes the staged names first, then the commit file, {@code LIVE} last: after a crash the cleanup continues. */
    void clean() throws IOException {
        volume.abandoned().forget(path);
        for (Path file : disk().list(path())) {
            String fileName = file.getFileName().toString();
            if (!List.of(CommitFile.NAME, CommitPart.NAME, LIVE).contains(fileName)) {
                disk().delete(file);
            }
        }
        disk().syncDirectory(path());
        disk().delete(file(isPart() ? CommitPart.NAME : CommitFile.NAME));
        disk().syncDirectory(path());
        discard();
    }

    /**
     * Removes the folder with its content, also if it is retained; the set must be live or not committed. Does nothing
     * if another plan has adopted it.
     */
    void discard() throws IOException {
        volume.abandoned().forget(path);
        if (!isThere()) {
            return;
        }
        for (Path file : disk().list(path())) {
            disk().delete(file);
        }
        disk().delete(path());
    }

    @Override
    public String toString() {
        return path().toString();
    }
}
