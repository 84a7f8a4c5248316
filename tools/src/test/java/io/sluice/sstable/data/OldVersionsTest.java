package io.sluice.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.Fixture;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.Verification;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.Compressor;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What 3.11 and 4.0 before its release wrote. */
class OldVersionsTest {
    @TempDir
    Path directory;

    private static ContentDigest digest(SSTable sstable) throws IOException {
        return ContentDigest.of(List.of(sstable), TokenRanges.FULL);
    }

    @Test
    void there_are_fixtures_of_all_old_versions() {
        Stream<Version> versions =
                Fixture.old().map(fixture -> fixture.descriptor().version()).distinct();

        assertThat(versions).containsExactlyInAnyOrder(Version.MC, Version.MD, Version.ME, Version.NA);
    }

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#old")
    void is_sound_and_its_indexes_hold_against_its_rows(Fixture fixture) throws IOException {
        SSTable sstable = fixture.open();

        assertThat(Verification.verify(sstable).problems()).isEmpty();
        BlockIndexCheck.check(sstable);
    }

    /** The other tables have times of the second in which they were written. */
    @Test
    void holds_the_same_in_all_versions() {
        Stream<ContentDigest> digests = Fixture.old()
                .filter(fixture -> fixture.table().name().equals("many"))
                .map(fixture -> {
                    try {
                        return digest(fixture.open());
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                });

        assertThat(digests.distinct()).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#old")
    void keeps_its_content_in_every_version(Fixture fixture) throws IOException {
        SSTable source = fixture.open();

        for (Version version : Version.values()) {
            Descriptor target = new Descriptor(version, new SSTableId.Sequence(1));
            WriterOptions options = WriterOptions.like(source);
            try (PartitionReader reader = PartitionReader.open(source);
                    SSTableWriter writer = SSTableWriter.create(directory, target, reader.header(), options)) {
                writer.appendAll(reader);
                SSTable rewritten = writer.finish();

                assertThat(digest(rewritten)).isEqualTo(digest(source));
                assertThat(Verification.verify(rewritten).problems()).isEmpty();
                BlockIndexCheck.check(rewritten);
                if (version == source.descriptor().version()) {
                    requireSameBytes(rewritten, source);
                }
            }
        }
    }

    /** Our LZ4 finds other matches than that of those days. */
    private static void requireSameBytes(SSTable rewritten, SSTable source) {
        boolean isLz4 = source.compression()
                .filter(info -> info.parameters().compressor() == Compressor.LZ4)
                .isPresent();
        if (!isLz4) {
            assertThat(rewritten.path(Component.DATA)).hasSameBinaryContentAs(source.path(Component.DATA));
        }
        assertThat(rewritten.path(Component.INDEX)).hasSameBinaryContentAs(source.path(Component.INDEX));
    }
}
