package io.sluice.harness.audit;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.merge.MergedPartitions;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One table at one node: the ledger and the files, side by side in the order of the ring. Not thread-safe; used once.
 */
final class NodeAudit {
    private static final int MAX_EXAMPLES = 5;
    private static final int TOLD_TOGETHER = 1000;
    private static final String DATA_FILE = "-Data.db";

    private final String node;
    private final AuditOrder.Table table;
    private final AuditProgress progress;
    private final Owners now;
    private final List<Owners> ever = new ArrayList<>();
    private final List<Ledger.Span> whole = new ArrayList<>();
    private final List<SSTable> decoded = new ArrayList<>();
    private final List<String> examples = new ArrayList<>();
    private long expected;
    private long missing;
    private long different;
    private long foreign;
    private long unknown;
    private long revived;

    NodeAudit(String node, AuditOrder.Table table, AuditProgress progress) {
        this.node = node;
        this.table = table;
        this.progress = progress;
        this.now = new Owners(table.now());
        table.ever().forEach(ring -> ever.add(new Owners(ring)));
    }

    /** @param hashes of files, shared by all nodes */
    Findings.Holding run(List<Path> dataDirectories, FileHashes hashes) throws IOException {
        Ledger ledger = Ledger.open(Path.of(table.ledger()));
        find(
                dataDirectories.stream()
                        .map(directory -> directory.resolve(table.folder()))
                        .toList(),
                ledger,
                hashes);
        try (EntrySource written = ledger.entries();
                EntrySource held = new Decoded(decoded, table.isDeletedFrom())) {
            compare(written, held);
        }
        return new Findings.Holding(
                node,
                table.name(),
                expected,
                missing,
                different,
                foreign,
                unknown,
                revived,
                whole.size(),
                decoded.size(),
                examples);
    }

    /** Lists the SSTables, and separates those that need not be decoded. */
    private void find(List<Path> folders, Ledger ledger, FileHashes hashes) throws IOException {
        Set<String> obsolete = new HashSet<>();
        List<Path> dataFiles = new ArrayList<>();
        for (Path file : files(folders)) {
            String name = file.getFileName().toString();
            if (name.startsWith("obsolete-")) { // the next start would remove what it names, in whichever folder
                obsolete.add(name.substring("obsolete-".length()));
                obsolete.addAll(Files.readAllLines(file));
            } else if (name.endsWith(DATA_FILE)) {
                dataFiles.add(file);
            }
        }
        Map<Ledger.Span, Path> byHash = new HashMap<>();
        List<SSTable> others = new ArrayList<>();
        for (Path file : dataFiles) {
            String name = file.getFileName().toString();
            if (obsolete.contains(name.substring(0, name.length() - DATA_FILE.length()))) {
                continue;
            }
            Ledger.Span span =
                    ledger.wholeFiles().isEmpty() ? null : ledger.wholeFiles().get(hashes.of(file));
            if (span == null || byHash.putIfAbsent(span, file) != null) {
                others.add(opened(file));
            }
        }
        // Where something else lies among the tokens of a whole file, both are decoded: they may share partitions.
        for (Map.Entry<Ledger.Span, Path> one : byHash.entrySet()) {
            if (others.stream().anyMatch(other -> one.getKey().overlaps(spanOf(other)))) {
                decoded.add(opened(one.getValue()));
            } else {
                whole.add(one.getKey());
            }
        }
        decoded.addAll(others);
        whole.sort((a, b) -> Long.compare(a.first(), b.first()));
    }

    private static List<Path> files(List<Path> folders) throws IOException {
        List<Path> all = new ArrayList<>();
        for (Path folder : folders) {
            if (Files.isDirectory(folder)) {
                try (Stream<Path> files = Files.list(folder)) {
                    files.sorted().forEach(all::add);
                }
            }
        }
        return all;
    }

    private static SSTable opened(Path dataFile) throws IOException {
        Descriptor.Named named = Descriptor.parse(dataFile.getFileName().toString())
                .filter(found -> found.component() == Component.DATA)
                .orElseThrow(() -> new IOException(dataFile + ": its name is none of an SSTable"));
        return SSTable.open(dataFile.resolveSibling(".").normalize(), named.descriptor());
    }

    private static Ledger.Span spanOf(SSTable sstable) {
        return new Ledger.Span(
                KeyToken.of(sstable.firstKey().bytes().toArray()),
                KeyToken.of(sstable.lastKey().bytes().toArray()));
    }

    private void compare(EntrySource written, EntrySource held) throws IOException {
        Entry found = held.next();
        int span = 0;
        int told = 0;
        int toldBytes = 0;
        for (Entry entry = written.next(); entry != null; entry = written.next()) {
            while (found != null && found.compareTo(entry) < 0) {
                unwritten(found);
                found = held.next();
            }
            while (span < whole.size() && whole.get(span).last() < entry.token()) {
                span++;
            }
            Entry here = span < whole.size() && whole.get(span).first() <= entry.token() ? entry : null;
            if (found != null && found.compareTo(entry) == 0) {
                here = found;
                found = held.next();
            }
            judge(entry, here);
            told++;
            toldBytes += entry.lengthBytes();
            if (told == TOLD_TOGETHER) {
                progress.compared(told, toldBytes);
                told = 0;
                toldBytes = 0;
            }
        }
        progress.compared(told, toldBytes);
        for (; found != null; found = held.next()) {
            unwritten(found);
        }
    }

    private void unwritten(Entry found) {
        unknown++;
        example(found + " is there, and nobody wrote it");
    }

    private void judge(Entry written, @Nullable Entry here) {
        boolean isOwner = now.of(written.token()).contains(node);
        if (isOwner && written.isDeleted()) {
            if (here != null) {
                revived++;
                example(here + " is alive, and was deleted");
            }
        } else if (isOwner) {
            expected++;
            if (here == null) {
                missing++;
                example(written + " is missing");
            } else if (!here.hasContentOf(written)) {
                different++;
                example(written + " has other content than was written");
            }
        } else if (here != null
                && ever.stream().noneMatch(ring -> ring.of(written.token()).contains(node))) {
            foreign++;
            example(written + " is there, and belongs to " + now.of(written.token()));
        }
    }

    private void example(String text) {
        if (examples.size() < MAX_EXAMPLES) {
            examples.add(text);
        }
    }

    /** The partitions of files, from their first byte to their last: no index is asked, no range is given. */
    static final class Decoded implements EntrySource {
        private final @Nullable MergedPartitions merged;
        private final boolean isOnlyLive;
        private final ContentDigest.Hasher hasher = new ContentDigest.Hasher();
        private @Nullable Entry last;

        Decoded(List<SSTable> sstables, boolean isOnlyLive) throws IOException {
            this.isOnlyLive = isOnlyLive;
            this.merged = sstables.isEmpty() ? null : MergedPartitions.open(sstables, TokenRanges.FULL);
        }

        @Override
        public @Nullable Entry next() throws IOException {
            if (merged == null) {
                return null;
            }
            for (Optional<Partition> next = merged.next(); next.isPresent(); next = merged.next()) {
                byte[] key = next.get().header().key().bytes().toArray();
                ContentDigest content = hasher.hash(isOnlyLive ? LivePartitions.of(next.get()) : next.get());
                if (content.partitions() == 0) {
                    continue; // padding of a slice, or nothing but deletions
                }
                Entry entry = Entry.of(key, content.high(), content.low());
                if (last != null && last.compareTo(entry) >= 0) {
                    throw new IOException(entry + " comes after " + last + " in the files (expected: ascending)");
                }
                last = entry;
                return entry;
            }
            return null;
        }

        @Override
        public void close() throws IOException {
            if (merged != null) {
                merged.close();
            }
        }
    }
}
