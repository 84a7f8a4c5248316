package io.sluice.simulation;

import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.DiskFile;
import io.sluice.streaming.install.ForwardingDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A disk behind which the defect of one {@link Mutant} sits. */
final class MutantDisk implements ForwardingDisk {
    private final Disk real;
    private final Mutant mutant;

    MutantDisk(Disk real, Mutant mutant) {
        this.real = real;
        this.mutant = mutant;
    }

    private static boolean isComponent(Path file) {
        return file.toString().endsWith(".db");
    }

    private static boolean isCommit(Path file) {
        return file.getFileName().toString().startsWith("commit");
    }

    private static boolean isIn(Path path, String folder) {
        return path.toString().contains(folder);
    }

    @Override
    public Disk real() {
        return real;
    }

    @Override
    public DiskFile create(Path file) throws IOException {
        return mutated(real.create(file));
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return mutated(real.open(file));
    }

    private DiskFile mutated(DiskFile file) {
        return new DiskFile() {
            @Override
            public int write(ByteBuffer bytes, long position) throws IOException {
                int length = bytes.remaining();
                try {
                    int written = file.write(bytes, position);
                    if (mutant == Mutant.SHORT_WRITE) {
                        bytes.position(bytes.limit());
                        return length;
                    }
                    return written;
                } catch (IOException e) {
                    if (mutant == Mutant.IGNORE_WRITE_ERROR) {
                        bytes.position(bytes.limit());
                        return length;
                    }
                    throw e;
                }
            }

            @Override
            public void sync() throws IOException {
                orIgnore(file::sync);
            }

            @Override
            public long size() throws IOException {
                return file.size();
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }

    /** Something that may fail. */
    private interface Operation {
        void run() throws IOException;
    }

    private void orIgnore(Operation operation) throws IOException {
        try {
            operation.run();
        } catch (IOException e) {
            if (mutant != Mutant.IGNORE_SYNC_ERROR) {
                throw e;
            }
        }
    }

    @Override
    public long refresh(Path file, long offset, long lengthBytes) throws IOException {
        return mutant == Mutant.TRUST_JOURNAL ? claimed(file, offset) : real.refresh(file, offset, lengthBytes);
    }

    private long claimed(Path file, long offset) throws IOException {
        String name = file.getFileName().toString();
        int component = name.lastIndexOf('-');
        String claim = "landed " + name.substring(0, component) + " " + name.substring(component + 1) + " " + offset;
        String journal = new String(real.read(file.resolveSibling("journal"), 1 << 20), StandardCharsets.UTF_8);
        String line = journal.lines().filter(l -> l.startsWith(claim + " ")).reduce("", (a, b) -> b);
        return Long.parseLong(line.split(" ", -1)[5], 16);
    }

    @Override
    public boolean exists(Path path) {
        boolean isForgotten = mutant == Mutant.FORGET_COMMIT_FILE
                && path.getFileName().toString().equals("commit");
        return !isForgotten && real.exists(path);
    }

    @Override
    public void syncFile(Path file) throws IOException {
        if (mutant != Mutant.SKIP_DATA_SYNC || !isComponent(file)) {
            orIgnore(() -> real.syncFile(file));
        }
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        boolean isSkipped = (mutant == Mutant.SKIP_STAGING_DIRECTORY_SYNC && isIn(directory, "staging"))
                || (mutant == Mutant.SKIP_LIVE_DIRECTORY_SYNC && isIn(directory, "live"));
        if (!isSkipped) {
            orIgnore(() -> real.syncDirectory(directory));
        }
    }

    @Override
    public void writeDurably(Path file, byte[] content) throws IOException {
        if (mutant == Mutant.SKIP_COMMIT_SYNC && isCommit(file)) {
            try (DiskFile made = real.create(file)) {
                made.writeFully(ByteBuffer.wrap(content), 0);
            }
        } else {
            real.writeDurably(file, content);
        }
    }

    @Override
    public void publish(Path file, byte[] content) throws IOException {
        if (mutant == Mutant.SKIP_COMMIT_RENAME && isCommit(file)) {
            real.writeDurably(file, content);
            real.syncDirectory(file.resolveSibling(".").normalize());
        } else if (mutant != Mutant.FORGET_LIVE_MARK || !file.endsWith("LIVE")) {
            ForwardingDisk.super.publish(file, content);
        }
    }
}
