package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.admin.Refusal;
import io.sluice.harness.cli.sstable.SSTableCommand;
import io.sluice.harness.report.ExitCode;
import io.sluice.harness.report.TextTable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What people type, and what they see. Long because each command has its wrong inputs here. */
class CommandLineTest {
    private static final String CONFIG = Path.of("..", "conf", "sluice.yaml").toString();

    @TempDir
    private Path temporary = Path.of("");

    private record Ended(int code, String out, String err) {}

    private static Ended run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine commandLine =
                Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        return new Ended(commandLine.execute(arguments), out.toString(), err.toString());
    }

    private Ended replace(String... arguments) {
        List<String> all = new java.util.ArrayList<>(List.of("replace-node", "--config", CONFIG));
        all.addAll(List.of("--work-dir", temporary.resolve("work").toString()));
        all.addAll(List.of(arguments));
        return run(all.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"replace-node", "node", "bench"})
    void every_command_explains_itself(String command) {
        Ended ended = run(command, "--help");

        assertThat(ended.code()).isZero();
        assertThat(ended.out()).startsWith("Usage: sluice " + command).contains("--help");
    }

    @Test
    void a_command_that_is_looked_up_by_name_calls_itself_so() {
        assertThat(Commands.ALL)
                .allSatisfy(named -> assertThat(named.make().get().name()).isEqualTo(named.name()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "-h", "help"})
    void help_begins_with_the_main_jobs_and_has_an_example_for_each_group(String word) {
        Ended ended = new Ended(0, helped(word), "");

        assertThat(ended.out().lines().filter(line -> line.startsWith("  ")).skip(2))
                .first()
                .asString()
                .startsWith("  replace-node ");
        assertThat(ended.out()).contains("  load ", "  sstable ", "Exit codes:");
        assertThat(ended.out().lines().filter(line -> line.startsWith("  for example:")))
                .hasSize(Commands.Group.values().length);
        assertThat(ended.out().lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(120));
    }

    private static String helped(String... words) {
        StringWriter out = new StringWriter();
        Main.commandLine(words).setOut(new PrintWriter(out)).execute(words);
        return out.toString();
    }

    /** A list of commands shows the first line alone. */
    @Test
    void the_first_line_about_each_command_is_a_sentence_of_its_own() {
        List<String> first = below(Main.commandLine()).stream()
                .map(CommandLine::getCommandSpec)
                .map(command ->
                        command.qualifiedName() + ": " + command.usageMessage().description()[0])
                .toList();

        assertThat(first).hasSizeGreaterThan(30).allMatch(line -> line.endsWith("."));
    }

    private static List<CommandLine> below(CommandLine command) {
        return command.getSubcommands().values().stream()
                .filter(one -> !one.getCommandName().equals("help"))
                .flatMap(one -> Stream.concat(Stream.of(one), below(one).stream()))
                .toList();
    }

    @Test
    void examples_of_the_help_are_understood() {
        assertThat(Commands.Group.values()).allSatisfy(group -> {
            String[] words = group.example().replace("./sluice ", "").split(" ");

            assertThatCode(() -> Main.commandLine().parseArgs(words)).doesNotThrowAnyException();
        });
    }

    @ParameterizedTest
    @CsvSource({
        "replace,replace-node",
        "tablet-migration,migrate-tablets",
        "tablet_migration,migrate-tablets",
        "remove-node,removenode",
        "replace-node,replace-node",
        "bulkload,load"
    })
    void a_command_is_found_by_a_name_that_it_had(String word, String name) {
        String[] alone = Commands.canonical(word, "--help");

        assertThat(alone).containsExactly(name, "--help");
        assertThat(helped(alone)).startsWith("Usage: sluice " + name);
        assertThat(Commands.canonical("help", word)).containsExactly("help", name);
        assertThat(Commands.canonical()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"replace-node", "replace", "REPLACE"})
    void a_plan_takes_each_name_of_its_operation(String operation) {
        Ended ended = run("plan", "--ring", "no.yaml", "--operation", operation);

        assertThat(ended.err()).contains("no.yaml");
    }

    @Test
    void a_plan_says_which_operations_there_are() {
        Ended ended = run("plan", "--ring", "no.yaml", "--operation", "repair");

        assertThat(ended.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(ended.err())
                .startsWith("sluice: --operation: 'repair' (expected: one of bootstrap, replace-node, rebuild,"
                        + " decommission, removenode, move, load)");
    }

    @Test
    void help_of_a_command_below_another_is_its_own() {
        assertThat(run("help", "sstable", "verify").out()).startsWith("Usage: sluice sstable verify");
        assertThat(run("sstable", "verify", "--help").out()).startsWith("Usage: sluice sstable verify");
        assertThat(run("help", "nope").err()).contains("no command 'nope'");
    }

    @Test
    void the_manual_page_has_every_command_and_option() {
        String page = run("help", "--man").out();

        assertThat(page).startsWith(".TH SLUICE 1").contains(".SH EXIT STATUS");
        assertThat(Commands.ALL)
                .allSatisfy(named ->
                        assertThat(page).contains(".SS sluice " + named.name().replace("-", "\\-") + "\n"));
        assertThat(page).contains(".SS sluice sstable verify\n", "\\fB\\-\\-replication\\-factor N\\fR");
        assertThat(page.lines()).noneMatch(line -> line.contains("%n") || line.contains("%%"));
    }

    @Test
    void completion_is_installed_once_however_often() throws IOException {
        String home = temporary.toString();

        assertThat(run("completion", "bash", "--install", "--to", home).code()).isZero();
        run("completion", "zsh", "--install", "--to", home);
        run("completion", "zsh", "--install", "--to", home);

        assertThat(temporary.resolve(".local/share/bash-completion/completions/sluice"))
                .content()
                .contains("replace-node", "--replication-factor");
        assertThat(Files.readAllLines(temporary.resolve(".zshrc")))
                .filteredOn(line -> line.startsWith("source "))
                .hasSize(1);
        assertThat(run("completion", "bash").out())
                .isEqualTo(Files.readString(temporary.resolve(".local/share/bash-completion/completions/sluice")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"info", "dump", "verify", "digest"})
    void a_command_that_is_made_alone_is_the_same(String name) {
        assertThat(SSTableCommand.only(name).subcommands().keySet()).containsExactly(name);
        assertThat(helped("sstable", name, "--help"))
                .isEqualTo(run("sstable", name, "--help").out());
    }

    @Test
    void the_exit_codes_are_in_the_help() {
        assertThat(run("--help").out()).contains("Exit codes:").contains("0   all went well");
    }

    @Test
    void an_option_that_cannot_be_is_refused_with_what_can() {
        Ended ended = replace("--nodes", "3", "--replication-factor", "4");

        assertThat(ended.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(ended.err()).contains("--replication-factor: 4 (expected: 2 to 3, the number of nodes");
    }

    @ParameterizedTest
    @CsvSource({"replace-node,1,5,node4", "bootstrap,2,6,node5", "decommission,1,5,node4"})
    void a_fault_is_of_a_node_that_there_is(String operation, int count, int node, String last) throws IOException {
        Path scenario = Files.writeString(
                temporary.resolve("scenario.yaml"),
                "operation: " + operation + "\ncount: " + count + "\nfaults:\n  - fault: cut\n    node: node" + node
                        + "\n    with: node1\n");

        Ended ended = run(
                "run",
                scenario.toString(),
                "--dry-run",
                "--size",
                "1MiB",
                "--work-dir",
                temporary.resolve("work").toString(),
                "--config",
                CONFIG);

        assertThat(ended.err())
                .contains("fault 'cut node" + node + " from node1': no node" + node + " (expected: source, receiver,"
                        + " or node1 to " + last + ")");
        assertThat(ended.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
    }

    @Test
    void a_move_that_would_change_nothing_is_not_begun() {
        Ended ended = run(
                "move", "--nodes", "3", "--work-dir", temporary.resolve("work").toString(), "--config", CONFIG);

        assertThat(ended.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(ended.err()).contains("--replication-factor: 3 (expected: 1 to 2, fewer than the nodes");
    }

    @Test
    void data_is_given_or_made_but_not_both() {
        Ended ended = replace("--data", temporary.toString(), "--size", "1MiB");

        assertThat(ended.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(ended.err()).contains("--data and --size: give one of them");
    }

    @Test
    void data_that_does_not_fit_is_not_begun() {
        Ended ended = replace("--size", "900000TiB");

        assertThat(ended.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(ended.err()).contains("--size 900000.00 TiB: needs about ").contains("are free (choose less");
        assertThat(temporary.resolve("work")).isDirectoryNotContaining("glob:**/data-*");
    }

    @Test
    void a_report_that_cannot_be_written_is_noticed_before_the_work() {
        Ended ended = replace("--size", "1MiB", "--json", "/no/such/folder/report.json");

        assertThat(ended.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(ended.err()).contains("--json /no/such/folder/report.json: cannot be written");
    }

    @Test
    void a_folder_is_no_report() {
        Ended ended = replace("--size", "1MiB", "--json", temporary.toString());

        assertThat(ended.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(temporary).isDirectory();
    }

    @Test
    void a_wrong_option_is_answered_by_one_sentence() {
        assertThat(run("replace-node", "--bogus").err().lines())
                .containsExactly("sluice: Unknown option: '--bogus' (see ./sluice replace-node --help)");
    }

    @Test
    void whoever_mistypes_is_asked_what_was_meant() {
        assertThat(run("replace-node", "--sise", "1GB").err().lines())
                .containsExactly(
                        "sluice: Unknown options: '--sise', '1GB'; did you mean --size? (see ./sluice replace-node --help)");
        assertThat(run("replace-nod").err()).contains("did you mean replace-node");
        assertThat(run("sstable", "verify", "--qick", ".").err()).contains("did you mean --quick?");
        assertThat(run("verify").err()).contains("did you mean sstable verify?");
        assertThat(run("help", "replace-nod").err()).contains("did you mean replace-node?");
        assertThat(run("help", "sstable", "digst").err()).contains("did you mean digest?");
    }

    @Test
    void a_file_that_is_not_text_is_no_yaml() throws IOException {
        Path file = Files.write(temporary.resolve("my.yaml"), new byte[] {(byte) 0xC3, 0x28, 0, (byte) 0xFF});

        for (String[] command : List.of(
                new String[] {"run", "--config", CONFIG, file.toString()},
                new String[] {"plan", "--operation", "replace-node", "--ring", file.toString()})) {
            Ended ended = run(command);

            assertThat(ended.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
            assertThat(ended.err()).startsWith("sluice: " + file + ": not YAML: it is not text in UTF-8 (expected: ");
        }
    }

    @Test
    void a_completion_that_cannot_be_installed_is_wrong_usage() {
        Ended ended = run("completion", "bash", "--install", "--to", "/proc");

        assertThat(ended.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(ended.err()).contains("cannot install the completion: /proc/");
    }

    @Test
    void a_size_needs_its_unit() {
        Ended ended = replace("--size", "100");

        assertThat(ended.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(ended.err()).contains("'100' (expected: bytes with a unit, as 512MiB, 1.5GiB or 2GB)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "replace-node --size 99999999999999999999GiB",
                "replace-node --size 1furlong",
                "replace-node --throughput fast",
                "load . --hosts 127.0.0.1 --throttle fast",
                "replace-node --nodes many",
                "replace-node --chaos some",
                "replace-node --consistency FOO",
                "sstable rewrite --version zz . --to x",
                "plan --ring /nope --operation foo",
                "simulate --seeds -1",
                "sstable generate --schema ../conf/examples/users.cql target/nope --partitions 0",
                "sstable generate --schema ../conf/examples/users.cql target/nope --sstables -1",
                "sstable generate target/nope --schema src",
                "soak kills --work-dir target/nope --count -1",
                "soak random --work-dir target/nope --minutes 0",
                "load --hosts 127.0.0.1:1 target/nope",
                "load --hosts 127.0.0.1:1 pom.xml",
                "replace-node --config ../conf/sluice.yaml --work-dir target/nope --vnodes 0",
                "replace-node --config ../conf/sluice.yaml --work-dir target/nope --racks 0",
                "plan --operation replace-node --ring src",
                "sstable generate --schema ../conf/examples/users.cql pom.xml",
                "sstable rewrite ../sstable-format/src/test/resources/fixtures/kv/nb --to pom.xml",
                "sstable slice ../sstable-format/src/test/resources/fixtures/kv/nb --range all --to pom.xml"
            })
    void no_answer_speaks_of_java(String words) {
        String[] arguments = words.split(" ");

        Ended ended = run(arguments);

        assertThat(ended.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(ended.err())
                .contains(
                        "expected",
                        arguments[arguments.length - 1].equals("x") ? "'zz'" : arguments[arguments.length - 1])
                .doesNotContain("Exception", "io.sluice", "java.", " int ", " long ", "to Long", "Optional");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "load . --hosts 127.0.0.1:1",
                "load . --hosts no-such-host.invalid",
                "pull --keyspace a --host 127.0.0.1:1 --table b --to target/nope"
            })
    void who_answers_no_cql_is_named_without_java(String words) {
        PrintStream standard = System.err;
        var printed = new ByteArrayOutputStream();
        Ended ended;
        try (var captured = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
            System.setErr(captured);
            ended = run(words.split(" "));
        } finally {
            System.setErr(standard);
        }
        String said = printed.toString(StandardCharsets.UTF_8);

        assertThat(ended.code()).isEqualTo(ExitCode.REFUSED.number());
        assertThat(said)
                .containsPattern(
                        "cannot connect over CQL to [\\w.-]+:\\d+: (nobody answers there|no machine of that name)")
                .contains("expected: host[:port] of a running node")
                .doesNotContain("Exception", "<unresolved>", "[/", "netty", "|control|");
    }

    @ParameterizedTest
    @CsvSource({
        "simulate --seeds 1 --mutants --mutant DATA_IS_NOT_SYNCED, --mutant: not with --mutants",
        "simulate --seeds 1 --mutant DATA_IS_NOT_SYNCED --trace, --trace: not with --mutant",
        "simulate --seeds 1 --mutant DATA_IS_NOT_SYNCED --dialect cassandra, --dialect: not with --mutant",
        "sstable digest ../sstable-format/src/test/resources/fixtures/kv/nb --range all --parts 3,"
                + " --parts: not with --range",
        "cassandra rebuild --node 10.0.0.4 --cql 127.0.0.1 --agent 127.0.0.1:1 --token-file pom.xml --dry-run"
                + " --abort why, --dry-run: not with --abort"
    })
    void an_option_that_another_one_makes_useless_is_refused(String words, String refused) {
        Ended ended = run(words.split(" "));

        assertThat(ended.err()).isEqualTo("sluice: " + refused + " (expected: one of both)\n");
        assertThat(ended.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "simulate --seeds 1 --mutant foo",
                "status --host 127.0.0.1:1 --token-file pom.xml",
                "cassandra pause --agent 127.0.0.1:1 --token-file pom.xml",
                "sstable rewrite --version ob . --to x",
                "load ../sstable-format/src/test/resources/fixtures/kv/nb --hosts 127.0.0.1:1 --truststore nope.p12"
                        + " --store-password-file pom.xml",
                "cassandra rebuild --node 10.0.0.4 --cql 127.0.0.1:1 --agent 127.0.0.1:1 --token-file TOKEN --timeout 0",
                "cassandra rebuild --node 10.0.0.4 --cql 127.0.0.1:1 --agent 127.0.0.1:1 --token-file TOKEN --dry-run"
                        + " --rate 0MiB/s"
            })
    void a_mistake_of_the_command_line_has_its_code(String words) throws IOException {
        Ended ended = run(words.replace("TOKEN", token().toString()).split(" "));

        assertThat(ended.code()).as(ended.err()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(ended.err()).startsWith("sluice: ").doesNotContain("[MC", "CQL connection");
    }

    private Path token() throws IOException {
        Path file = temporary.resolve("token");
        AdminToken.readOrCreate(file);
        return file;
    }

    @Test
    void a_token_that_others_may_read_is_wrong_usage() throws IOException {
        Path token = token();
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));

        Ended ended = run("status", "--host", "127.0.0.1:1", "--token-file", token.toString());

        assertThat(ended.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(ended.err()).startsWith("sluice: --token-file " + token + ": others may read it");
    }

    @Test
    void a_coordinator_that_does_not_reach_cql_is_refused_as_a_load_is() throws IOException {
        Ended ended = run(
                "cassandra",
                "rebuild",
                "--node",
                "10.0.0.4",
                "--cql",
                "127.0.0.1:1",
                "--agent",
                "127.0.0.1:1",
                "--token-file",
                token().toString());

        assertThat(ended.code()).as(ended.err()).isEqualTo(ExitCode.REFUSED.number());
    }

    @ParameterizedTest
    @CsvSource({
        "listen_address: 192.0.2.1, listen_address: 192.0.2.1: is no address of this machine",
        "listen_address: no.such.host.invalid, listen_address: no.such.host.invalid: is no address",
        "tls_certificate: nope, tls_certificate: nope: cannot be read"
    })
    void a_node_whose_settings_cannot_be_is_wrong_usage(String setting, String refused) throws IOException {
        String others = setting.startsWith("tls_") ? "tls_key: nope\ntls_trust: nope\n" : "allow_plaintext: true\n";
        Path config = Files.writeString(
                temporary.resolve("sluice.yaml"),
                setting + "\n" + others + "data_file_directories: [" + temporary.resolve("data") + "]\nlog_directory: "
                        + temporary.resolve("logs") + "\nadmin_token_file: " + temporary.resolve("token") + "\n");

        Ended ended = run("node", "--config", config.toString());

        assertThat(ended.code()).as(ended.err()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(ended.err())
                .startsWith("sluice: " + config + ":1: " + refused)
                .contains("(expected: ");
    }

    @Test
    void every_value_has_a_name_in_the_help() {
        assertThat(below(Main.commandLine()))
                .flatExtracting(command -> command.getCommandSpec().options())
                .extracting(CommandLine.Model.OptionSpec::paramLabel)
                .noneMatch(label -> label.startsWith("<arg"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"soak", "bench", "cassandra", "sstable"})
    void a_group_of_commands_has_help_of_its_own(String group) {
        assertThat(run(group, "help").out()).startsWith("Usage: sluice " + group);
    }

    private String dryRun(String words) {
        List<String> all = new java.util.ArrayList<>(List.of(words.split(" ")));
        all.addAll(List.of("--size", "1MiB", "--dry-run", "--config", CONFIG, "--work-dir"));
        all.add(temporary.resolve("work").toString());
        PrintStream standard = System.out;
        var printed = new ByteArrayOutputStream();
        try (var captured = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
            System.setOut(captured);
            Ended ended = run(all.toArray(String[]::new));
            assertThat(ended.code()).as(ended.err()).isZero();
        } finally {
            System.setOut(standard);
        }
        return printed.toString(StandardCharsets.UTF_8);
    }

    @Test
    void a_dry_run_shows_each_step() {
        assertThat(dryRun("bootstrap --nodes 2 --replication-factor 1 --count 3"))
                .contains("Step 1 of 3:", "Step 2 of 3:", "Step 3 of 3:")
                .containsPattern("node3 +node[12] ")
                .containsPattern("node4 +node[123] ")
                .containsPattern("node5 +node[1234] ");
        assertThat(dryRun("migrate-tablets --nodes 3 --replication-factor 1 --count 8"))
                .contains("Step 8 of 8:");
        assertThat(dryRun("replace-node")).doesNotContain("Step ").contains("Nothing was moved.");
    }

    @Test
    void a_dry_run_of_a_repair_does_not_make_up_a_plan() {
        assertThat(dryRun("repair"))
                .contains("known only when the nodes compare what they hold")
                .doesNotContain("0 B");
        assertThat(temporary.resolve("work")).isDirectoryNotContaining("glob:**/data-*");
    }

    @Test
    void there_are_no_more_tablets_than_tablets() {
        Ended ended = run("migrate-tablets", "--count", "99", "--dry-run", "--config", CONFIG);

        assertThat(ended.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(ended.err()).contains("--count: 99 (expected: 1 to 8, the number of tablets)");
    }

    @Test
    void hosts_without_a_host_are_refused() {
        Ended ended = run("load", temporary.toString(), "--hosts", ",");

        assertThat(ended.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(ended.err()).startsWith("sluice: --hosts: names no node (expected: host or host:port");
    }

    @Test
    void the_option_that_is_wrong_is_named() {
        assertThat(run("replace-node", "--throughput", "fast").err()).startsWith("sluice: --throughput: 'fast'");
    }

    @Test
    void a_folder_without_sstables_is_refused_in_one_sentence() throws IOException {
        Path empty = Files.createDirectory(temporary.resolve("empty"));

        Ended ended = replace("--data", empty.toString());

        assertThat(ended.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(ended.err().lines())
                .containsExactly("sluice: " + empty
                        + ": no SSTables found (expected: <keyspace>/<table>-<id>/ folders with SSTables in them)");
    }

    @Test
    void a_folder_of_somebody_else_is_not_worked_in() throws IOException {
        Path work = Files.createDirectory(temporary.resolve("work"));
        Path precious = Files.writeString(work.resolve("precious"), "mine");

        Ended ended = replace("--size", "1MiB");

        assertThat(ended.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(ended.err()).contains("holds files that are not of a Sluice run");
        assertThat(work).isDirectoryContaining(precious::equals);
    }

    @Test
    void a_work_directory_that_cannot_be_one_is_wrong_usage() throws IOException {
        Path file = Files.writeString(temporary.resolve("README.md"), "mine");

        Ended isFile = run("replace-node", "--config", CONFIG, "--work-dir", file.toString());
        Ended isBelowFile = run(
                "replace-node",
                "--config",
                CONFIG,
                "--work-dir",
                file.resolve("nope").toString());

        assertThat(isFile.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(isFile.err().lines())
                .containsExactly("sluice: --work-dir " + file + ": is a file (expected: a new or empty folder)");
        assertThat(isBelowFile.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(isBelowFile.err())
                .startsWith("sluice: --work-dir " + file.resolve("nope") + ": cannot be made: ")
                .doesNotContain("Exception");
    }

    @ParameterizedTest
    @ValueSource(strings = {"soak kills", "soak random", "cassandra up"})
    void a_work_directory_that_cannot_be_made_is_wrong_usage_of_other_commands_too(String command) throws IOException {
        // /proc/nope and /dev/null/x are refused alike: by the system, whoever asks.
        Path folder = Files.writeString(temporary.resolve("null"), "").resolve("x");
        List<String> words = new java.util.ArrayList<>(List.of(command.split(" ")));
        words.addAll(List.of("--work-dir", folder.toString()));

        Ended ended = run(words.toArray(String[]::new));

        assertThat(ended.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(ended.err())
                .startsWith("sluice: --work-dir " + folder + ": cannot be made: ")
                .contains("(expected: a new or empty folder)");
    }

    @Test
    void a_work_directory_that_cannot_be_written_is_wrong_usage() throws IOException {
        Path folder =
                Files.createDirectories(temporary.resolve("work/.sluice-work")).getParent();

        Ended ended = run("replace-node", "--config", CONFIG, "--work-dir", String.valueOf(folder));

        assertThat(ended.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(ended.err()).startsWith("sluice: --work-dir " + folder + ": cannot be written: ");
    }

    @Test
    void a_failure_names_no_class() {
        assertThat(Refusal.because(new IOException(new IllegalStateException("it is closed")))
                        .reason())
                .isEqualTo("it is closed");
        assertThat(Refusal.because(new IOException(
                                "nested exception is: \\n\\tjava.net.ConnectException: Connection refused"))
                        .reason())
                .as("in a text that was escaped before")
                .isEqualTo("nested exception is: \\n\\tConnection refused");
        assertThat(Refusal.because(new NullPointerException()).reason()).doesNotContain("NullPointer");
        assertThat(Refusal.because(new FileSystemException("/data")).reason()).doesNotContain("Exception");
    }

    @Test
    void a_table_without_rows_is_not_printed() {
        var printed = new ByteArrayOutputStream();

        new TextTable("source", "bytes").print(new PrintStream(printed, true, StandardCharsets.UTF_8));

        assertThat(printed.toByteArray()).isEmpty();
    }

    @Test
    void a_wrong_setting_is_refused_with_file_and_line() throws IOException {
        Path config =
                Files.writeString(temporary.resolve("bad.yaml"), "cluster_name: a\nstream_entire_sstable: true\n");

        Ended ended = run("replace-node", "--config", config.toString());

        assertThat(ended.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(ended.err().lines())
                .containsExactly("sluice: " + config
                        + ":2: unknown key 'stream_entire_sstable' (did you mean 'stream_entire_sstables'?)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bench", "bench --sstable .", "bench transfer", "bench -- -f 3", "compare"})
    void without_the_jar_of_benchmarks_one_sentence_names_it(String command) {
        Ended ended = run(command.split(" "));

        assertThat(ended.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(ended.err().lines())
                .containsExactly("sluice: no benchmarks on the class path (expected: the jar jmh-benchmarks and those"
                        + " that it needs; ./sluice bench and ./sluice compare put them there)");
    }

    @Test
    @Tag("full")
    void a_run_of_real_processes_says_what_it_did() throws IOException {
        Path data = Path.of("..", "sstable-format", "src", "test", "resources", "fixtures", "multi_sstable", "nb");
        Path json = temporary.resolve("report.json");
        PrintStream standard = System.out;
        var printed = new ByteArrayOutputStream();
        Ended ended;
        try (var captured = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
            System.setOut(captured);
            ended = replace(
                    "--data", data.toString(), "--nodes", "2", "--replication-factor", "2", "--json", "" + json);
        } finally {
            System.setOut(standard);
        }

        assertThat(ended.code()).as(ended.err()).isZero();
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("Killing node2 (SIGKILL)")
                .contains("node3 replaced node2")
                .contains("Verified: node3 holds what node2 held")
                .contains("Report: ");
        assertThat(json).content().contains("\"verified\" : true");
    }
}
