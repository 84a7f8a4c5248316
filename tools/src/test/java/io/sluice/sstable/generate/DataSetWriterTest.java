package io.sluice.sstable.generate;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.token.TokenRange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataSetWriterTest {
    @TempDir
    Path directory;

    private static DataSetWriter writer(long seed) {
        return new DataSetWriter(new DataSet(seed, 1000, 3, 40), Version.NB, WriterOptions.DEFAULTS);
    }

    private byte[] data(Path in, List<Descriptor> sstables) throws IOException {
        var all = new java.io.ByteArrayOutputStream();
        for (Descriptor sstable : sstables) {
            all.write(Files.readAllBytes(in.resolve(sstable.fileName(Component.DATA))));
        }
        return all.toByteArray();
    }

    private Path folder(String name) throws IOException {
        return Files.createDirectory(directory.resolve(name));
    }

    @Test
    void writes_the_same_partitions_however_many_sstables_it_makes() throws IOException {
        Path one = folder("one");
        Path seven = folder("seven");

        List<Descriptor> whole = writer(1).write(one, 1);
        List<Descriptor> parts = writer(1).write(seven, 7);

        assertThat(parts).hasSize(7);
        assertThat(data(seven, parts)).isEqualTo(data(one, whole));
    }

    @Test
    void writes_the_same_partitions_in_ranges_and_never_across_their_ends() throws IOException {
        Path one = folder("one");
        Path ranges = folder("ranges");
        TokenRange low = TokenRange.of(Long.MIN_VALUE, 0);
        TokenRange high = TokenRange.of(0, Long.MIN_VALUE);

        List<Descriptor> whole = writer(1).write(one, 1);
        List<Descriptor> parts = writer(1).write(ranges, List.of(low, high), 1, 5);

        assertThat(parts).hasSize(2).first().hasToString("nb-5-big");
        assertThat(data(ranges, parts)).isEqualTo(data(one, whole));
    }

    @Test
    void writes_other_content_for_another_seed() throws IOException {
        Path one = folder("one");
        Path other = folder("other");

        assertThat(data(one, writer(1).write(one, 1)))
                .isNotEqualTo(data(other, writer(2).write(other, 1)));
    }
}
