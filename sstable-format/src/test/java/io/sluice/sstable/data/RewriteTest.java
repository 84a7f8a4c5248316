package io.sluice.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.Fixture;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableFormat;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.metadata.Statistics;
import io.sluice.sstable.metadata.Stats;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RewriteTest {
    @TempDir
    Path directory;

    static Stream<Fixture> fixtures() {
        return Fixture.all().stream();
    }

    /** Those whose bytes we can hope to match: written in a version that we write, and not compressed. */
    static Stream<Fixture> plainBigFixtures() {
        return fixtures()
                .filter(fixture -> fixture.descriptor().version().format() == SSTableFormat.BIG)
                .filter(fixture -> !fixture.has(Component.COMPRESSION_INFO));
    }

    /** All but the one with a partition deletion before 1970, which the newer version cannot express. */
    static Stream<Fixture> fixturesThatFitTheNewerVersion() {
        return fixtures()
                .filter(fixture -> !fixture.table().equals("ttl_max")
                        || fixture.descriptor().version() != Version.NB);
    }

    private Path rewrite(Fixture fixture, Descriptor target) throws IOException {
        try (PartitionReader reader = Readers.open(fixture.directory(), fixture.descriptor());
                SSTableWriter writer =
                        SSTableWriter.create(directory, target, reader.header(), WriterOptions.DEFAULTS)) {
            writer.appendAll(reader);
            writer.finish();
        }
        return directory;
    }

    @ParameterizedTest
    @MethodSource("plainBigFixtures")
    void writes_the_bytes_that_the_reference_wrote(Fixture fixture) throws IOException {
        rewrite(fixture, fixture.descriptor());

        for (Component component : List.of(Component.DATA, Component.INDEX, Component.CRC)) {
            assertThat(directory.resolve(fixture.descriptor().fileName(component)))
                    .hasSameBinaryContentAs(fixture.file(component));
        }
    }

    @ParameterizedTest
    @MethodSource("plainBigFixtures")
    void collects_the_statistics_that_the_reference_collected(Fixture fixture) throws IOException {
        rewrite(fixture, fixture.descriptor());

        Stats ours = stats(directory, fixture.descriptor());
        Stats theirs = stats(fixture.directory(), fixture.descriptor());
        assertThat(ours.times()).isEqualTo(theirs.times());
        assertThat(ours.distributions()).isEqualTo(theirs.distributions());
        assertThat(ours.content()).isEqualTo(theirs.content());
    }

    private static Stats stats(Path folder, Descriptor descriptor) throws IOException {
        return Statistics.read(folder.resolve(descriptor.fileName(Component.STATISTICS)), descriptor.version())
                .stats();
    }

    @ParameterizedTest
    @MethodSource("fixturesThatFitTheNewerVersion")
    void keeps_the_content_in_the_newer_version(Fixture fixture) throws IOException {
        Descriptor target = new Descriptor(Version.OA, new SSTableId.Sequence(1));
        rewrite(fixture, target);

        assertThat(digest(directory, target)).isEqualTo(digest(fixture.directory(), fixture.descriptor()));
    }

    private static ContentDigest digest(Path folder, Descriptor descriptor) throws IOException {
        PartitionReader reader = Readers.open(folder, descriptor);
        ClusteringOrder order = new ClusteringOrder(reader.header().clusteringTypes());
        try (MergedPartitions merged = new MergedPartitions(List.of(reader), order)) {
            return ContentDigest.of(merged);
        }
    }
}
