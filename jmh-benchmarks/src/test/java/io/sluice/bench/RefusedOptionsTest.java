package io.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.compare.CompareBench;
import io.sluice.bench.process.Program;
import io.sluice.bench.transfer.LinkBench;
import io.sluice.bench.transfer.ReadsBench;
import io.sluice.bench.transfer.SlicesBench;
import io.sluice.bench.transfer.TransferBench;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What benchmarks refuse, before they have made any data. */
class RefusedOptionsTest {
    @TempDir
    private Path temporary = Path.of("");

    private static Callable<Integer> bench(String name) {
        return switch (name) {
            case "transfer" -> new TransferBench();
            case "slices" -> new SlicesBench();
            case "link" -> new LinkBench();
            case "reads" -> new ReadsBench();
            case "compare" -> new CompareBench();
            default -> throw new IllegalArgumentException(name);
        };
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "transfer --rounds 0",
                "slices --rounds 0",
                "slices --rounds -1",
                "link --rounds 0",
                "reads --rounds 0",
                "compare --rounds 0",
                "transfer --connections 0",
                "transfer --connections 33",
                "link --connections -1",
                "link --connections 33",
                "link --delay -1",
                "link --rate 0",
                "link --rate 64MiB",
                "transfer --sstable /no/such/folder",
                "transfer --files 0",
                "transfer --files -3",
                "transfer --size 0B",
                "link --size 0B",
                "reads --size 0B",
                "compare --size 0B",
                "reads --throttle 0",
                "reads --throttle 1MiB/s,0"
            })
    void what_makes_no_sense_is_refused_before_any_work(String text) {
        String[] words = text.split(" ");
        Path work = temporary.resolve("work");
        Stream<String> place = words[0].equals("slices")
                ? Stream.of("--target", work.toString())
                : Stream.of("--work-dir", work.toString());
        StringWriter err = new StringWriter();

        int code = Program.commandLine(bench(words[0]))
                .setErr(new PrintWriter(err))
                .execute(Stream.concat(Arrays.stream(words).skip(1), place).toArray(String[]::new));

        assertThat(code).as(err.toString()).isEqualTo(2);
        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .startsWith("sluice: " + words[1])
                .contains("(expected: ");
        assertThat(work).doesNotExist();
    }
}
