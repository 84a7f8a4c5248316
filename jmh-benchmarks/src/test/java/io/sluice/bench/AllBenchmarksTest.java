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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** Of a process of its own, with the class path that it was found on. */
    @ParameterizedTest
    @MethodSource("names")
    void each_says_how_it_is_used(String name) throws Exception {
        Ended ended = run(named(name), "--help");

        assertThat(ended.output()).startsWith("Usage: sluice bench " + name + " ");
        assertThat(ended.code()).isZero();
    }

    private static List<String> names() {
        return Benchmarks.get().subcommands().stream()
                .map(Benchmarks.Subcommand::name)
                .toList();
    }

    /** JMH would run all shapes, for a quarter of an hour. */
    @ParameterizedTest
    @ValueSource(strings = {"planner -p nodes=10", "planner -p shape=10x256 -p nodes", "receive -p shape=10x256"})
    void a_parameter_that_a_benchmark_does_not_have_is_refused(String words) throws Exception {
        List<String> all = List.of(words.split(" "));

        Ended ended = run(named(all.get(0)), all.subList(1, all.size()).toArray(String[]::new));

        assertThat(ended.output()).startsWith("sluice: no parameter '").contains(" (expected: ");
        assertThat(ended.code()).isEqualTo(2);
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
        assertThat(run(named("planner"), "-wi", "2", "-p", "shape=10x256", "-lp")
                        .output())
                .contains(PlannerBenchmark.class.getName() + ".", "param \"shape\" = {10x256}");
        assertThat(run(named("receive"), "--target", "/dev/shm", "-l").output())
                .contains(ReceiverBenchmark.class.getName() + ".oneBuffer");
    }
}
