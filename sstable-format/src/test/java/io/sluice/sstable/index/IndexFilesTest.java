package io.sluice.sstable.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.Fixture;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.encoding.ComponentOutput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class IndexFilesTest {

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#big")
    void writes_the_index_and_the_summary_that_it_read(Fixture fixture, @TempDir Path directory) throws IOException {
        SummaryWriter summary = new SummaryWriter(intervalOf(fixture));
        Path index = directory.resolve("Index.db");
        try (IndexReader reader = IndexReader.open(fixture.path(Component.INDEX));
                IndexWriter writer = IndexWriter.to(ComponentOutput.create(index))) {
            for (Optional<IndexEntry> next = reader.next(); next.isPresent(); next = reader.next()) {
                summary.add(next.get().key().bytes(), writer.position());
                writer.add(next.get().key(), next.get().position(), reader.blocks(next.get()));
            }
            writer.finish();
        }
        ComponentOutput.write(directory.resolve("Summary.db"), summary.encode());

        assertThat(Files.readAllBytes(index)).isEqualTo(Files.readAllBytes(fixture.path(Component.INDEX)));
        assertThat(Files.readAllBytes(directory.resolve("Summary.db")))
                .isEqualTo(Files.readAllBytes(fixture.path(Component.SUMMARY)));
    }

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#big")
    void copies_entries_as_they_lie(Fixture fixture, @TempDir Path directory) throws IOException {
        long dataLength = fixture.open().dataLengthBytes();
        CountedPartitions copied = new CountedPartitions();
        try (EntryCopier entries = EntryCopier.open(fixture.path(Component.INDEX));
                IndexFiles.Big copy = IndexFiles.Big.create(
                        component -> ComponentOutput.create(directory.resolve(component.fileName())),
                        intervalOf(fixture))) {
            entries.copy(0, dataLength, 0, copy, copied);
            copy.finish();
        }

        assertThat(copied.bytes()).isEqualTo(dataLength);
        assertThat(copied.hashes()).isEqualTo(copied.partitions());
        for (Component component : List.of(Component.INDEX, Component.SUMMARY)) {
            assertThat(Files.readAllBytes(directory.resolve(component.fileName())))
                    .isEqualTo(Files.readAllBytes(fixture.path(component)));
        }
    }

    private static int intervalOf(Fixture fixture) throws IOException {
        try (SummaryReader summary = SummaryReader.open(fixture.path(Component.SUMMARY))) {
            return summary.header().interval();
        }
    }
}
