package io.sluice.harness.cli.sstable;

import io.sluice.harness.config.ConfigException;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.compression.Compressor;
import io.sluice.sstable.data.WriterOptions;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say how SSTables are written. Not thread-safe. */
final class Format {
    /** What can be asked for; an older version is kept by its own SSTables, and never taken by others. */
    private static final Set<Version> WRITTEN = EnumSet.of(Version.NB, Version.OA, Version.DA);

    @Option(
            names = "--version",
            paramLabel = "nb|oa|da",
            converter = VersionConverter.class,
            description = "Version to write: nb (4.0 and later), oa (5.0), or da (5.0, indexes are tries).")
    private @Nullable Version version;

    @Option(
            names = "--compression",
            paramLabel = "NAME",
            description = "none, lz4, snappy, deflate or zstd, in chunks of 16 KiB.")
    private @Nullable Compression compression;

    /** The usual mixin would take {@code --version} for the program's own. */
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help message and exit.")
    void help(boolean asked) {
        // picocli prints it.
    }

    /** The names that people type. */
    enum Compression {
        none,
        lz4,
        snappy,
        deflate,
        zstd
    }

    /** @throws ConfigException if a version was asked for that nothing is turned into */
    Version versionOr(Version other) {
        Version wanted = version;
        if (wanted == null) {
            return other;
        }
        if (!WRITTEN.contains(wanted)) {
            throw new ConfigException("--version " + wanted.letters()
                    + ": only an SSTable of that version is written in it again (expected: nb, oa or da)");
        }
        return wanted;
    }

    WriterOptions on(WriterOptions options) {
        if (compression == null) {
            return options;
        }
        return compression == Compression.none
                ? options.withoutCompression()
                : options.withCompression(CompressionParameters.of(
                        Compressor.valueOf(compression.name().toUpperCase(Locale.ROOT)),
                        CompressionParameters.DEFAULT_CHUNK_LENGTH_BYTES));
    }
}
