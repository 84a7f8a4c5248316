package io.sluice.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.report.Step;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes before the first round. */
class CompareBenchTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void the_digest_before_the_first_round_says_how_far_it_is() throws IOException {
        List<SSTable> sources = new ArrayList<>();
        for (Descriptor written : new DataSetWriter(DataSet.ofBytes(1, 1 << 20), Version.NB, WriterOptions.DEFAULTS)
                .write(directory, 3)) {
            sources.add(SSTable.open(directory, written));
        }
        TokenRanges half = RangeChoice.of("half");
        AtomicReference<Step> step = new AtomicReference<>(Step.ofBytes("digesting", 0, 0));

        ContentDigest digest = CompareBench.digest(sources, half, step);

        assertThat(digest).isEqualTo(ContentDigest.of(sources, half));
        Step last = Objects.requireNonNull(step.get());
        assertThat(last.total()).isBetween(400_000L, 700_000L);
        assertThat(last.done()).isEqualTo(last.total());
    }
}
