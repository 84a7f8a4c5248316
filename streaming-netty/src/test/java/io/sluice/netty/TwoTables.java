package io.sluice.netty;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What is visible in the files of a node, whatever the node says. Stateless. */
final class TwoTables {
    private TwoTables() {}

    /** The content of a numbered table in some ranges; what has no list of its components is no SSTable yet. */
    static String digest(Path data, int table, TokenRanges ranges) throws IOException {
        Path folder = TestTables.folder(data, TestTables.table(table));
        List<SSTable> sstables = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (name.endsWith(Component.TOC.fileName())) {
                    Descriptor descriptor = Descriptor.parse(name).orElseThrow().descriptor();
                    sstables.add(SSTable.open(folder, descriptor));
                }
            }
        }
        return ContentDigest.of(sstables, ranges).toString();
    }

    /** The content of a table that is empty. */
    static String nothing() throws IOException {
        return ContentDigest.of(List.of(), TokenRanges.FULL).toString();
    }
}
