package io.sluice.streaming.install;

import io.sluice.sstable.Coverage;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.metadata.Toc;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * The SSTables of one table of one plan, on their way from the first byte to the live folder. All of them become live,
 * or none.
 *
 * <p>Thread-safe for different SSTables; calls for one SSTable, and {@link #commit}, are made one after the other.
 */
public final class StagedSet {
    private final Disk disk;
    private final TableRef table;
    private final Path directory;
    private final List<Descriptor> staged = new ArrayList<>();

    StagedSet(Disk disk, TableRef table, Path directory) {
        this.disk = disk;
        this.table = table;
        this.directory = directory;
    }

    public TableRef table() {
        return table;
    }

    Path directory() {
        return directory;
    }

    /**
     * Makes an empty new file for one component.
     *
     * @return open for writing; closed by the caller
     */
    public FileChannel create(Descriptor descriptor, Component component) throws IOException {
        return FileChannel.open(
                directory.resolve(descriptor.fileName(component)),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Makes a received SSTable durable and checks that it opens, is what was offered, and lies inside {@code ranges}.
     *
     * @throws StreamException of code {@link ErrorCode#OUT_OF_RANGE} or {@link ErrorCode#PROTOCOL} if it is not
     * @throws IOException if the disk fails or the SSTable cannot be opened
     */
    public void stage(Descriptor descriptor, SSTableOffer offer, TokenRanges ranges) throws IOException {
        TreeSet<Component> components = new TreeSet<>(List.of(Component.TOC));
        for (ComponentManifest manifest : offer.components()) {
            disk.syncFile(directory.resolve(descriptor.fileName(manifest.component())));
            components.add(manifest.component());
        }
        disk.writeDurably(
                directory.resolve(descriptor.fileName(Component.TOC)),
                (String.join("\n", Toc.of(components).names()) + "\n").getBytes(StandardCharsets.UTF_8));
        SSTable sstable = SSTable.open(directory, descriptor);
        if (!sstable.firstToken().equals(offer.first()) || !sstable.lastToken().equals(offer.last())) {
            throw new StreamException(
                    ErrorCode.PROTOCOL,
                    table + " " + offer.source() + ": holds tokens " + sstable.firstToken() + " to "
                            + sstable.lastToken() + " (offered: " + offer.first() + " to " + offer.last() + ")");
        }
        if (sstable.coverage(ranges) != Coverage.WHOLE) {
            throw new StreamException(
                    ErrorCode.OUT_OF_RANGE,
                    table + " " + offer.source() + ": holds partitions outside of what was asked for");
        }
        synchronized (staged) {
            staged.add(descriptor);
        }
    }

    /**
     * The commit point: when this returns, the set will become live, also if the process dies now.
     *
     * @throws IOException if it cannot be made durable; then the set has not been committed
     */
    CommitFile commit(java.util.UUID installId) throws IOException {
        disk.syncDirectory(directory);
        List<Descriptor> sstables;
        synchronized (staged) {
            sstables = staged.stream()
                    .sorted(java.util.Comparator.comparing(Descriptor::id))
                    .toList();
        }
        List<CommitFile.StagedFile> files = new ArrayList<>();
        for (Descriptor sstable : sstables) {
            for (Component component : Component.values()) { // TOC is the last of them: a table without is no table
                Path file = directory.resolve(sstable.fileName(component));
                if (java.nio.file.Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                    files.add(new CommitFile.StagedFile(sstable.fileName(component), java.nio.file.Files.size(file)));
                }
            }
        }
        CommitFile commit = new CommitFile(installId, table.id(), sstables, files);
        disk.publish(directory.resolve(CommitFile.NAME), commit.encode());
        return commit;
    }

    /** Writes bytes at a position until all are written. */
    public static void writeFully(FileChannel channel, ByteBuffer bytes, long position) throws IOException {
        long at = position;
        while (bytes.hasRemaining()) {
            at += channel.write(bytes, at);
        }
    }
}
