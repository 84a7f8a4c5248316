package io.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.cli.Benchmarks;
import io.sluice.harness.cli.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class AllBenchmarksTest {
    private record Ended(int code, String output) {}

    private static Ended run(Benchmarks.Program program, String... options) throws IOException, InterruptedException {
        Process process =
                program.process(List.of(options)).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output);
    }

    private static Benchmarks.Program named(String name) {
        return Benchmarks.get().subcommands().stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow()
                .program();
    }

    @Test
    void the_command_line_finds_them_by_their_service() {
        assertThat(Benchmarks.find()).containsInstanceOf(AllBenchmarks.class);
        String help = Objects.requireNonNull(Main.commandLine().getSubcommands().get("bench"))
                .getUsageMessage();

        assertThat(Benchmarks.get().subcommands())
                .hasSizeGreaterThan(5)
                .allSatisfy(found -> assertThat(help)
                        .containsPattern("(?m)^  " + found.name() + " +"
                                + found.description().substring(0, 20)));
    }

    @Test
    void a_mistyped_name_is_not_taken_for_all_benchmarks() {
        var err = new StringWriter();

        int code = Main.commandLine().setErr(new PrintWriter(err)).execute("bench", "transfr");

        assertThat(code).isEqualTo(2);
        assertThat(err.toString())
                .startsWith("sluice: no benchmark 'transfr' (expected: ")
                .contains("did you mean transfer?");
    }

    @Test
    void a_program_is_started_with_the_class_path_that_it_was_found_on() throws Exception {
        Ended ended = run(named("throttle"), "--help");

        assertThat(ended.output()).startsWith("Usage: sluice bench throttle");
        assertThat(ended.code()).isZero();
    }

    @Test
    void a_benchmark_that_fails_is_no_success() throws Exception {
        Ended ended = run(
                Benchmarks.get().ends(),
                List.of("-p", "sstable=/does/not/exist", "-wi", "0", "-i", "1", "-r", "1", "-f", "1")
                        .toArray(String[]::new));

        assertThat(ended.code()).as(ended.output()).isNotZero();
        assertThat(ended.output()).contains("/does/not/exist");
    }

    @Test
    void jmh_is_told_which_benchmark_and_takes_the_other_options() throws Exception {
        assertThat(run(Benchmarks.get().ends(), "-l").output())
                .contains(ZeroCopyStreamingBenchmark.class.getName() + ".blockStreamWriter")
                .doesNotContain(PlannerBenchmark.class.getName());
        assertThat(run(named("planner"), "-l").output()).contains(PlannerBenchmark.class.getName() + ".");
        assertThat(run(named("receive"), "--target", "/dev/shm", "-l").output())
                .contains(ReceiverBenchmark.class.getName() + ".oneBuffer");
    }
}
