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

/** The folder of a set, or of the part of it that lies on one volume. Immutable. */
record SetFolder(StagingVolume volume, SetName name) {
    /** The answer of the database is noted. */
    static final String LIVE = "LIVE";

    private static final byte[] REFUSED = {'r', 'e', 'f', 'u', 's', 'e', 'd', '\n'};

    private static final Logger LOG = LoggerFactory.getLogger(SetFolder.class);

    Disk disk() {
        return volume.disk();
    }

    Path path() {
        return volume.root().resolve(name.plan()).resolve(name.table());
    }

    private Path file(String fileName) {
        return path().resolve(fileName);
    }

    boolean isThere() {
        return disk().exists(path());
    }

    private boolean has(String fileName) {
        return disk().exists(file(fileName));
    }

    /** Whether it is a part of a set whose commit file lies, or was to lie, on another volume. */
    boolean isPart() {
        return has(CommitPart.NAME);
    }

    /** Whether the commit point of the set was passed here. The commit file is named last of its two copies. */
    boolean isCommitted() {
        return !isPart() && (has(CommitFile.NAME) || has(LIVE));
    }

    /** Whether the database has answered, and only this folder has to go. */
    boolean isLive() {
        return has(LIVE);
    }

    /** Whether it is a part of a committed set, and the answer of the database is not noted here yet. */
    boolean isPending() {
        return isPart() && !isLive();
    }

    /**
     * What the commit file says, or its copy where it is damaged.
     *
     * @return empty if both are damaged, or it has none
     * @throws IOException if the disk fails
     */
    Optional<CommitFile> commit() throws IOException {
        for (String copy : new String[] {CommitFile.NAME, CommitFile.COPY_NAME}) {
            Path file = file(copy);
            if (disk().exists(file)) {
                try {
                    return Optional.of(CommitFile.decode(disk().read(file, CommitFile.MAX_LENGTH_BYTES)));
                } catch (UnreadableLineException damaged) {
                    LOG.error("{}: {}", file, damaged.getMessage());
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Of which commit this is a part.
     *
     * @return empty if that is damaged, or it is of none
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
     * The answer of the database is durable when this returns.
     *
     * @param isRefused whether the answer is that it does not want the set
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

    /** Of a set on several volumes that is noted: whether the database did not want it. */
    boolean isRefused() throws IOException {
        return disk().size(file(LIVE)) > 0;
    }

    /** It is no part of any commit any more. */
    void forgetPart() throws IOException {
        if (isPart()) {
            disk().delete(file(CommitPart.NAME));
            disk().syncDirectory(path());
        }
    }

    /** The table that it is named after. */
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

    /** The names of components in it, those of a TOC first: a table without is no table. */
    List<String> components() throws IOException {
        List<String> names = new ArrayList<>();
        for (Path file : disk().list(path())) {
            String fileName = file.getFileName().toString();
            if (Descriptor.parse(fileName).isPresent()) {
                names.add(fileName.endsWith("TOC.txt") ? 0 : names.size(), fileName);
            }
        }
        return names;
    }

    /**
     * Removes the staged names first, the commit file after them, {@code LIVE} last: a crash between continues here.
     */
    void clean() throws IOException {
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

    /** Removes it, when it was never committed or is live, with all that is in it. */
    void discard() throws IOException {
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
