package io.sluice.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.Fixture;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.Verification;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.metadata.Stats;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RewriteTest {
    private static final Set<Component> SAME = EnumSet.of(
            Component.DATA,
            Component.INDEX,
            Component.PARTITIONS,
            Component.ROWS,
            Component.CRC,
            Component.DIGEST,
            Component.FILTER,
            Component.SUMMARY);

    @TempDir
    Path directory;

    /**
     * Those whose bytes we can hope to match: written in a version that we write, not compressed, and by a flush.
     * Compaction adds a checksum to CRC.db, and has larger histograms.
     */
    static Stream<Fixture> plainFixtures() {
        return Fixture.all()
                .filter(fixture -> !Files.exists(fixture.path(Component.COMPRESSION_INFO)))
                .filter(fixture -> !fixture.isCompacted());
    }

    /** All but the one with a partition deletion before 1970, which the newer version cannot express. */
    static Stream<Fixture> fixturesThatFitTheNewerVersion() {
        return Fixture.all()
                .filter(fixture -> !fixture.table().name().equals("ttl_max")
                        || fixture.descriptor().version() != Version.NB);
    }

    private SSTable rewrite(SSTable source, Descriptor target) throws IOException {
        double chance = source.statistics().validation().filterChance();
        WriterOptions options = WriterOptions.DEFAULTS.withFilterChance(chance);
        try (PartitionReader reader = PartitionReader.open(source);
                SSTableWriter writer = SSTableWriter.create(directory, target, reader.header(), options)) {
            writer.appendAll(reader);
            return writer.finish();
        }
    }

    @ParameterizedTest
    @MethodSource("plainFixtures")
    void writes_the_bytes_that_the_reference_wrote(Fixture fixture) throws IOException {
        SSTable theirs = fixture.open();

        SSTable ours = rewrite(theirs, fixture.descriptor());

        assertThat(ours.components()).isEqualTo(theirs.components());
        for (Component component : SAME) {
            if (theirs.components().contains(component)) {
                assertThat(ours.path(component)).hasSameBinaryContentAs(theirs.path(component));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("plainFixtures")
    void collects_the_statistics_that_the_reference_collected(Fixture fixture) throws IOException {
        Stats theirs = fixture.open().statistics().stats();

        Stats ours = rewrite(fixture.open(), fixture.descriptor()).statistics().stats();

        assertThat(ours.times()).isEqualTo(theirs.times());
        assertThat(ours.distributions()).isEqualTo(theirs.distributions());
        assertThat(ours.content()).isEqualTo(theirs.content());
    }

    @ParameterizedTest
    @MethodSource("fixturesThatFitTheNewerVersion")
    void keeps_the_content_in_the_newer_versions(Fixture fixture) throws IOException {
        SSTable source = fixture.open();

        for (Version version : List.of(Version.OA, Version.DA)) {
            SSTable rewritten = rewrite(source, new Descriptor(version, new SSTableId.Sequence(1)));

            assertThat(digest(rewritten)).isEqualTo(digest(source));
            assertThat(Verification.verify(rewritten).problems()).isEmpty();
        }
    }

    private static ContentDigest digest(SSTable sstable) throws IOException {
        return ContentDigest.of(List.of(sstable), TokenRanges.FULL);
    }
}
