package io.sluice.bench;

import io.sluice.harness.content.TableFiles;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The table of the streaming benchmark that Cassandra published in 2018: one SSTable of 1,000,000 partitions of one
 * row, the key a decimal number as text, the clustering "0", the value empty; about 50 MB with all components.
 * Stateless.
 */
public final class PublishedTable {
    /** Its name, used in place of a folder. */
    static final String PLAIN = "published";

    /** The same table in LZ4 chunks of 16 KiB. */
    static final String LZ4 = "published-lz4";

    private static final int PARTITIONS = 1_000_000;

    private PublishedTable() {}

    /** The folder of the table named {@code name}; a published table is first created in {@code scratch}. */
    static TableDirectory of(String name, Path scratch) throws IOException {
        Path folder = Path.of(name);
        if (name.equals(PLAIN) || name.equals(LZ4)) {
            WriterOptions options = WriterOptions.DEFAULTS;
            folder = new UniformTable(Version.NB, PARTITIONS, 0)
                    .write(
                            scratch.resolve("data"),
                            name.equals(LZ4) ? options.withCompression(CompressionParameters.lz4()) : options);
        }
        Path found = folder;
        return TableDirectory.of(found).orElseThrow(() -> new IOException(found + ": not the folder of a table"));
    }

    /** The ranges of all but the first partition of the first half of each SSTable. */
    public static TokenRanges halves(TableDirectory table) throws IOException {
        return shares(table, 0.5);
    }

    /** The ranges of all but the first partition of the first part of each SSTable: {@code share} of it, up to 1. */
    public static TokenRanges shares(TableDirectory table, double share) throws IOException {
        List<TokenRange> ranges = new ArrayList<>();
        for (SSTable sstable : TableFiles.open(table)) {
            long first = sstable.firstToken().value();
            long last = sstable.lastToken().value();
            ranges.add(TokenRange.of(first, (long) (first * (1 - share) + last * share)));
        }
        return TokenRanges.of(ranges);
    }
}
