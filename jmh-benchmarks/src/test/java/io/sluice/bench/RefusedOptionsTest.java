package io.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.compare.CompareBench;
import io.sluice.bench.process.Program;
import io.sluice.bench.transfer.LinkBench;
import io.sluice.bench.transfer.ReadsBench;
import io.sluice.bench.transfer.SlicesBench;
import io.sluice.bench.transfer.TransferBench;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.token.TokenRange;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What benchmarks refuse, before they have made any data, and what becomes of reports of earlier work. */
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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "transfer --rounds 0 --json",
                "slices --rounds 0 --json",
                "reads --rounds 0 --json",
                "reads --rounds 0 --html",
                "compare --rounds 0 --json",
                "compare --rounds 0 --html",
                "compare --data /no/such/folder --json",
                "compare --data /no/such/folder --html"
            })
    void what_is_refused_leaves_a_report_of_earlier_work(String text) throws IOException {
        Path report = Files.writeString(temporary.resolve("report"), "earlier");
        String[] words = (text + " " + report).split(" ", -1);

        int code = Program.commandLine(bench(words[0]))
                .setErr(new PrintWriter(new StringWriter()))
                .execute(Arrays.copyOfRange(words, 1, words.length));

        assertThat(code).isEqualTo(2);
        assertThat(report).hasContent("earlier");
    }

    /** It has no schema, and nothing in the lower half of the ring. */
    @ParameterizedTest
    @CsvSource({"--with cassandra,schema.cql (expected: the CREATE TABLE", "--ranges half,no partition"})
    void data_that_does_not_fit_is_refused_before_reports_are_begun(String option, String reason) throws IOException {
        Path table = Files.createDirectories(temporary.resolve("data/ks/t-" + "0".repeat(32)));
        new DataSetWriter(DataSet.ofBytes(1, 1 << 16), Version.NB, WriterOptions.DEFAULTS)
                .write(table, List.of(TokenRange.of(0, Long.MIN_VALUE)), 1, 1);
        Path json = Files.writeString(temporary.resolve("json"), "earlier");
        Path page = Files.writeString(temporary.resolve("page"), "earlier");
        StringWriter err = new StringWriter();
        String work = temporary.resolve("work").toString();

        int code = Program.commandLine(new CompareBench())
                .setErr(new PrintWriter(err))
                .execute((option + " --data " + table + " --work-dir " + work + " --json " + json + " --html " + page)
                        .split(" ", -1));

        assertThat(code).isEqualTo(2);
        assertThat(err.toString()).contains(reason);
        assertThat(json).hasContent("earlier");
        assertThat(page).hasContent("earlier");
    }

    /** Their processes cannot write where their log should be. */
    @ParameterizedTest
    @CsvSource({"compare,compare.html,compare.log", "reads,reads.html,bench-reads.log"})
    void work_that_fails_leaves_no_page_of_earlier_work(String name, String page, String log) throws IOException {
        Path work = temporary.resolve("work");
        Files.createDirectories(work.resolve(log));
        Files.createFile(work.resolve(".sluice-work"));
        Files.writeString(work.resolve(page), "earlier");

        int code = Program.commandLine(bench(name))
                .setErr(new PrintWriter(new StringWriter()))
                .execute("--size", "64KiB", "--work-dir", work.toString());

        assertThat(code).isEqualTo(1);
        assertThat(work.resolve(page)).isEmptyFile();
    }
}
