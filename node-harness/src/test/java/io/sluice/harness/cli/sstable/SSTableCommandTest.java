package io.sluice.harness.cli.sstable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.harness.cli.Main;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.json.Json;
import io.sluice.harness.report.ExitCode;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The tools, on tables that Cassandra wrote. Long because each tool has its cases here, and they share tables. */
class SSTableCommandTest {
    private static final Path FIXTURES = Path.of("..", "sstable-format", "src", "test", "resources", "fixtures");

    private static final long MIN = Long.MIN_VALUE;

    @TempDir
    private Path temporary = Path.of("");

    private record Ended(int code, String out, String err) {
        JsonNode json() throws IOException {
            return Json.MAPPER.readTree(out);
        }
    }

    private static Ended run(String command, Object... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine commandLine =
                Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        List<String> all = new ArrayList<>(List.of("sstable", command));
        Stream.of(arguments).map(Object::toString).forEach(all::add);
        return new Ended(commandLine.execute(all.toArray(String[]::new)), out.toString(), err.toString());
    }

    private static String digest(Path data) throws IOException {
        Ended ended = run("digest", "--json", data);
        assertThat(ended.code()).as(ended.err()).isZero();
        return ended.json().get(0).get("digest").asText();
    }

    private static String digest(Path data, String range) throws IOException {
        Ended ended = run("digest", "--json", "--range", range, data);
        assertThat(ended.code()).as(ended.err()).isZero();
        return ended.json().get(0).get("digest").asText();
    }

    static Stream<Path> fixtures() throws IOException {
        try (Stream<Path> fixtures = Files.list(FIXTURES)) {
            return fixtures
                    .flatMap(fixture -> Stream.of("nb", "oa", "da").map(fixture::resolve))
                    .filter(Files::isDirectory)
                    .sorted()
                    .toList()
                    .stream();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"info", "dump", "verify", "digest", "rewrite", "slice", "generate"})
    void every_tool_explains_itself(String command) {
        Ended ended = run(command, "--help");

        assertThat(ended.code()).isZero();
        assertThat(ended.out()).startsWith("Usage: sluice sstable " + command).contains("--json");
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void what_cassandra_wrote_is_in_order(Path fixture) {
        Ended ended = run("verify", fixture);

        assertThat(ended.code()).as(ended.out() + ended.err()).isZero();
        assertThat(ended.out()).contains(": ok");
    }

    @Test
    void damage_is_named() throws IOException {
        Path data = copyOf("netflix_lz4/nb");
        byte[] bytes = Files.readAllBytes(data);
        bytes[bytes.length / 2] ^= 1;
        Files.write(data, bytes);

        Ended ended = run("verify", temporary);

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.out()).contains(": DAMAGED").contains("Data.db").contains("CRC");
    }

    @Test
    void info_says_what_is_there() throws IOException {
        JsonNode info = run("info", "--json", FIXTURES.resolve("netflix_lz4").resolve("nb"))
                .json()
                .get(0);

        assertThat(info.get("version").asText()).isEqualTo("nb");
        assertThat(info.get("partitions").asLong()).isEqualTo(300);
        assertThat(info.get("rows").asLong()).isEqualTo(2400);
        assertThat(info.get("compression").asText()).isEqualTo("LZ4Compressor, chunks of 16.00 KiB");
    }

    @Test
    void a_dump_is_that_of_cassandra() throws IOException {
        Path fixture = FIXTURES.resolve("kv").resolve("nb");

        Ended ended = run("dump", fixture);

        assertThat(ended.json())
                .isEqualTo(Json.MAPPER.readTree(fixture.resolve("expected.json").toFile()));
    }

    @Test
    void a_dump_is_of_one_sstable() {
        Ended ended = run("dump", FIXTURES.resolve("multi_sstable").resolve("nb"));

        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.err()).contains("holds 3 SSTables (expected: one; name its Data.db");
    }

    @ParameterizedTest
    @CsvSource({
        "wide/nb,oa,lz4",
        "collections/da,oa,zstd",
        "types/oa,nb,none",
        "snappy/nb,nb,deflate",
        "wide/nb,da,none",
        "types/oa,da,lz4",
        "netflix_lz4/da,da,zstd"
    })
    void rewritten_content_is_the_same(String fixture, String version, String compression) throws IOException {
        Path source = FIXTURES.resolve(fixture);

        Ended ended = run("rewrite", source, "--to", temporary, "--version", version, "--compression", compression);

        assertThat(ended.code()).as(ended.err()).isZero();
        assertThat(digest(temporary)).isEqualTo(digest(source));
        assertThat(run("verify", temporary).code()).isZero();
        assertThat(run("info", "--json", temporary).json().get(0).get("version").asText())
                .isEqualTo(version);
    }

    @ParameterizedTest
    @ValueSource(strings = {"many/nb", "wide/oa", "lz4_ratio/nb", "multi_sstable/oa"})
    void slices_of_both_halves_are_the_whole(String fixture) throws IOException {
        Path source = FIXTURES.resolve(fixture);

        for (String half : List.of(MIN + ",0", "0," + MIN)) {
            Ended ended = run("slice", source, "--to", temporary, "--range", half, "--json");

            assertThat(ended.code()).as(ended.err()).isZero();
            assertThat(ended.json()).isNotEmpty();
        }
        assertThat(digest(temporary)).isEqualTo(digest(source));
        assertThat(run("verify", temporary).code()).isZero();
    }

    @Test
    void a_slice_says_what_it_is() {
        Ended ended = run("slice", FIXTURES.resolve("many/nb"), "--to", temporary, "--range", MIN + ",0");

        assertThat(ended.out()).contains("nb-1-big: ").contains(" as they were");
    }

    @ParameterizedTest
    @ValueSource(strings = {"nb", "oa", "da"})
    void a_slice_of_each_version_holds_its_range(String version) throws IOException {
        Path source = FIXTURES.resolve("many").resolve(version);

        Ended ended = run("slice", source, "--to", temporary, "--range", MIN + ",0");

        assertThat(ended.code()).isZero();
        assertThat(run("verify", temporary).code()).isZero();
        assertThat(digest(temporary)).isEqualTo(digest(source, MIN + ",0"));
    }

    @Test
    void several_ranges_become_one_slice_of_each_sstable_unless_asked_for_apart() throws IOException {
        Path source = FIXTURES.resolve("many/nb");
        List<String> ranges = List.of("--range", MIN + ",-5", "--range", "5,4611686018427387904");

        Ended joined = run("slice", with(ranges, source, "--to", temporary.resolve("one"), "--json"));
        Ended apart = run("slice", with(ranges, source, "--to", temporary.resolve("two"), "--json", "--no-join"));

        assertThat(joined.json()).hasSize(1);
        assertThat(apart.json()).hasSize(2);
        assertThat(digest(temporary.resolve("one"))).isEqualTo(digest(temporary.resolve("two")));
    }

    private static Object[] with(List<String> ranges, Object... others) {
        return Stream.concat(Stream.of(others), ranges.stream()).toArray();
    }

    @Test
    void a_slice_of_an_sstable_with_a_damaged_filter_gets_a_new_one_and_that_is_said() throws IOException {
        Path data = copyOf("many/nb");
        Path filter = Path.of(data.toString().replace("-Data.db", "-Filter.db"));
        byte[] bytes = Files.readAllBytes(filter);
        bytes[0] = 1; // the number of hashes is above all that are allowed
        Files.write(filter, bytes);
        Path slices = temporary.resolve("slices");

        Ended ended = run("slice", data, "--to", slices, "--range", MIN + ",0");

        assertThat(ended.code()).as(ended.err()).isZero();
        assertThat(ended.err()).startsWith("sluice: " + filter).endsWith("; its slice has a new filter\n");
        assertThat(run("verify", slices).code()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"slice", "digest"})
    void an_empty_range_is_refused(String command) {
        List<String> range = List.of("--range", "5,5");
        Path source = FIXTURES.resolve("many/nb");

        Ended ended = command.equals("slice")
                ? run(command, with(range, source, "--to", temporary))
                : run(command, with(range, source));

        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.err()).contains("no token lies after 5 up to 5").contains("or all, for the whole ring");
        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    void a_range_that_selects_nothing_fails() {
        Ended ended = run("slice", FIXTURES.resolve("kv/nb"), "--to", temporary, "--range", "5,6");

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.err()).contains("no partition of ").contains("lies in [(5,6]]; nothing was written");
        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    void no_folder_stays_of_tables_in_which_a_range_selects_nothing() throws IOException {
        Path source = temporary.resolve("source");
        copyInto(source, "kv/nb");
        copyInto(source, "many/nb");
        Path target = temporary.resolve("a").resolve("b");

        Ended ended = run("slice", source, "--to", target, "--range", "5,6");

        assertThat(ended.err()).contains("nothing was written");
        assertThat(temporary.resolve("a")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"info", "verify", "digest"})
    void one_sstable_of_another_version_leaves_the_others_readable(String command) throws IOException {
        copyInto(temporary, "kv/nb");
        Path table = onlyTable(temporary);
        Files.write(table.resolve("ms-7-big-Data.db"), new byte[] {1});

        Ended ended = run(command, temporary);

        assertThat(ended.code()).isEqualTo(4);
        assertThat(ended.out()).isNotEmpty().doesNotContain("DAMAGED");
        assertThat(ended.err())
                .contains("left out: ")
                .contains("ms-7-big-Data.db: version ms (expected: mc, md, me, na, nb, oa or da)");
    }

    @Test
    void a_data_file_of_another_version_is_refused_by_name() throws IOException {
        Path file = Files.write(temporary.resolve("ms-7-big-Data.db"), new byte[] {1});

        Ended ended = run("verify", file);

        assertThat(ended.code()).isEqualTo(3);
        assertThat(ended.err()).contains("ms-7-big-Data.db: version ms (expected: mc, md, me, na, nb, oa or da)");
    }

    @Test
    void an_sstable_without_a_required_component_is_damaged_and_the_others_are_verified() throws IOException {
        copyInto(temporary, "multi_sstable/nb");
        Path table = onlyTable(temporary);
        Files.delete(table.resolve("nb-1-big-Index.db"));

        Ended ended = run("verify", temporary);

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.out())
                .contains("nb-2-big: ok")
                .contains("nb-3-big: ok")
                .contains("nb-1-big: DAMAGED", "nb-1-big: no Index.db");
    }

    @Test
    void an_sstable_that_cannot_be_opened_is_an_entry_of_the_json() throws IOException {
        copyInto(temporary, "multi_sstable/nb");
        Path table = onlyTable(temporary);
        Files.delete(table.resolve("nb-1-big-Index.db"));
        Files.write(table.resolve("ms-7-big-Data.db"), new byte[] {1});

        JsonNode verified = run("verify", "--json", temporary).json();
        JsonNode shown = run("info", "--json", temporary).json();

        assertThat(verified).hasSize(4);
        assertThat(verified).filteredOn(one -> one.get("clean").asBoolean()).hasSize(2);
        assertThat(verified)
                .filteredOn(one -> !one.get("clean").asBoolean())
                .extracting(one -> one.get("sstable").asText())
                .containsExactlyInAnyOrder(
                        table.resolve("nb-1-big").toString(),
                        table.resolve("ms-7-big-Data.db").toString());
        assertThat(verified.toString()).contains("nb-1-big: no Index.db", "ms-7-big-Data.db: version ms");
        assertThat(shown).hasSize(4);
        assertThat(shown)
                .filteredOn(one -> one.has("leftOut"))
                .extracting(one -> one.get("sstable").asText())
                .containsExactlyInAnyOrder(
                        table.resolve("nb-1-big").toString(),
                        table.resolve("ms-7-big-Data.db").toString());
    }

    @Test
    void a_single_sstable_that_cannot_be_opened_is_reported_like_any_other() throws IOException {
        copyInto(temporary, "kv/nb");
        Files.delete(onlyTable(temporary).resolve("nb-1-big-Index.db"));

        Ended text = run("verify", temporary);
        Ended json = run("verify", "--json", temporary);

        assertThat(text.code()).isEqualTo(1);
        assertThat(text.out()).contains("nb-1-big: DAMAGED", "nb-1-big: no Index.db");
        assertThat(json.code()).isEqualTo(1);
        assertThat(json.json().get(0).get("clean").asBoolean(true)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rewrite", "slice", "generate"})
    void a_full_disk_is_named_with_what_to_do(String command) throws IOException {
        Path source = FIXTURES.resolve("kv/nb");
        Path schema = FIXTURES.resolve("types/schema.cql");
        List<Object> arguments = switch (command) {
            case "rewrite" -> List.of(source, "--to", temporary);
            case "slice" -> List.of(source, "--to", temporary, "--range", "all");
            default -> List.of("--schema", schema, "--partitions", "3", temporary);
        };
        run(command, arguments.toArray());
        Path table = onlyTable(temporary);
        Files.createSymbolicLink(table.resolve(UnfinishedSSTables.LIST), Path.of("/dev/full"));
        try (Stream<Path> files = Files.list(table)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.delete(file);
            }
        }

        Ended ended = run(command, arguments.toArray());

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.err())
                .isEqualTo("sluice: " + table + ": No space left on device (free space on that volume)\n");
    }

    @Test
    void a_table_of_another_partitioner_is_not_damaged() throws IOException {
        copyInto(temporary, "kv/nb");
        Path statistics = onlyTable(temporary).resolve("nb-1-big-Statistics.db");
        Files.write(statistics, ofPartitioner("org.apache.cassandra.dht.RandomPartitioners", statistics));

        Ended ended = run("verify", temporary);

        assertThat(ended.code()).isEqualTo(3);
        assertThat(ended.out()).doesNotContain("DAMAGED");
        assertThat(ended.err()).contains("partitioner: org.apache.cassandra.dht.RandomPartitioners (expected: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"nb", "oa"})
    void a_table_with_a_type_of_its_users_is_not_damaged(String version) throws IOException {
        copyInto(temporary, "kv/" + version);
        Path statistics;
        try (Stream<Path> files = Files.list(onlyTable(temporary))) {
            statistics = files.filter(file -> file.toString().endsWith("Statistics.db"))
                    .findFirst()
                    .orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(statistics);
        int header = ByteBuffer.wrap(bytes).getInt(36); // the last one of four
        String changed = new String(bytes, header, bytes.length - header, StandardCharsets.ISO_8859_1)
                .replace("marshal.UTF8Type", "marshal.MineType");
        System.arraycopy(changed.getBytes(StandardCharsets.ISO_8859_1), 0, bytes, header, bytes.length - header);
        int end = bytes.length - Integer.BYTES;
        CRC32 crc = new CRC32();
        crc.update(bytes, header, end - header);
        ByteBuffer.wrap(bytes).putInt(end, (int) crc.getValue());
        Files.write(statistics, bytes);

        Ended ended = run("verify", temporary);

        assertThat(ended.code()).as(ended.toString()).isEqualTo(3);
        assertThat(ended.out()).doesNotContain("DAMAGED");
        assertThat(ended.err()).contains("-big", "MineType");
    }

    /** The same statistics, of a partitioner whose name is as long; all checksums are right. */
    private static byte[] ofPartitioner(String name, Path statistics) throws IOException {
        byte[] bytes = Files.readAllBytes(statistics);
        ByteBuffer all = ByteBuffer.wrap(bytes);
        int types = all.getInt(0);
        int validation = all.getInt(12);
        int end = all.getInt(20) - Integer.BYTES;
        assertThat(types).isEqualTo(4);
        byte[] letters = name.getBytes(StandardCharsets.US_ASCII);
        assertThat(all.getShort(validation)).isEqualTo((short) letters.length);
        all.put(validation + Short.BYTES, letters);
        CRC32 crc = new CRC32();
        crc.update(bytes, validation, end - validation);
        all.putInt(end, (int) crc.getValue());
        return bytes;
    }

    private static void copyInto(Path target, String fixture) throws IOException {
        Path source = FIXTURES.resolve(fixture);
        try (Stream<Path> files = Files.walk(source)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copy = target.resolve(source.relativize(file).toString());
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private static Path onlyTable(Path data) throws IOException {
        return TableDirectory.find(data).get(0).path();
    }

    @Test
    void digests_of_parts_are_of_the_same_content() throws IOException {
        Path fixture = FIXTURES.resolve("many").resolve("nb");

        JsonNode parts = run("digest", "--json", "--parts", "7", fixture).json();

        long partitions = 0;
        for (JsonNode part : parts) {
            partitions += part.get("partitions").asLong();
        }
        assertThat(parts).hasSize(7);
        assertThat(partitions)
                .isEqualTo(run("digest", "--json", fixture)
                        .json()
                        .get(0)
                        .get("partitions")
                        .asLong());
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "4"})
    void generated_content_depends_on_the_seed_alone(String sstables) throws IOException {
        Path schema = FIXTURES.resolve("collections").resolve("schema.cql");
        Path other = temporary.resolve("other");
        Path one = temporary.resolve("one");

        run("generate", "--schema", schema, "--partitions", "300", "--sstables", sstables, one);
        run("generate", "--schema", schema, "--partitions", "300", "--sstables", "2", "--compression", "none", other);

        assertThat(digest(one)).isEqualTo(digest(other));
        assertThat(run("verify", one).code()).isZero();
    }

    @Test
    void overlapping_sstables_share_partitions() throws IOException {
        Path schema = FIXTURES.resolve("types").resolve("schema.cql");

        run("generate", "--schema", schema, "--partitions", "400", "--sstables", "4", "--overlapping", temporary);

        long inAll = 0;
        for (JsonNode info : run("info", "--json", temporary).json()) {
            inAll += info.get("partitions").asLong();
        }
        long merged = run("digest", "--json", temporary)
                .json()
                .get(0)
                .get("partitions")
                .asLong();
        assertThat(inAll).isGreaterThan(merged * 3 / 2);
    }

    @Test
    void a_wrong_schema_is_refused_in_one_sentence() throws IOException {
        Path schema = Files.writeString(temporary.resolve("schema.cql"), "CREATE TABLE ks.t (k int, v text)");

        Ended ended = run("generate", "--schema", schema, temporary);

        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.err().lines())
                .hasSize(1)
                .allSatisfy(line -> assertThat(line).startsWith("sluice: " + schema));
    }

    @Test
    void a_path_without_sstables_is_refused() {
        Ended ended = run("info", temporary);

        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.err()).contains("no SSTables found (expected: a Data.db,");
    }

    /** Copies a fixture below the temporary folder; returns its Data.db. */
    private Path copyOf(String fixture) throws IOException {
        Path source = FIXTURES.resolve(fixture);
        try (Stream<Path> tree = Files.walk(source)) {
            for (Path file : tree.filter(Files::isRegularFile).toList()) {
                Path target = temporary.resolve(source.relativize(file).toString());
                Files.createDirectories(target.getParent());
                Files.copy(file, target);
                if (file.toString().endsWith("-Data.db")) {
                    return copyRest(file, target);
                }
            }
        }
        throw new IOException(fixture + " has no Data.db");
    }

    private static Path copyRest(Path file, Path target) throws IOException {
        try (Stream<Path> siblings = Files.list(file.getParent())) {
            for (Path sibling : siblings.filter(Files::isRegularFile).toList()) {
                Path copy = target.resolveSibling(sibling.getFileName());
                if (Files.notExists(copy)) {
                    Files.copy(sibling, copy);
                }
            }
        }
        return target;
    }

    @Test
    void a_schema_that_is_not_there_is_wrong_usage() {
        Ended noSchema = run("generate", "--schema", temporary.resolve("nope.cql"), "--size", "1MiB", temporary);

        assertThat(noSchema.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(noSchema.err())
                .contains("--schema " + temporary.resolve("nope.cql")
                        + ": no such file or folder (expected: a file with a CREATE TABLE statement)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mc", "md", "me", "na"})
    void a_version_that_nothing_is_turned_into_is_wrong_usage(String version) {
        Path out = temporary.resolve("out");
        Path schema = FIXTURES.resolve("types").resolve("schema.cql");

        Ended rewritten = run("rewrite", FIXTURES.resolve("kv/nb"), "--to", out, "--version", version);
        Ended generated = run("generate", "--schema", schema, "--version", version, out);

        for (Ended ended : List.of(rewritten, generated)) {
            assertThat(ended.code()).isEqualTo(ExitCode.WRONG_USAGE.number());
            assertThat(ended.err())
                    .contains("--version " + version
                            + ": only an SSTable of that version is written in it again (expected: nb, oa or da)");
        }
        assertThat(out).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"nb", "oa", "da"})
    void generated_content_is_the_same_in_each_version(String version) throws IOException {
        Path schema = FIXTURES.resolve("types").resolve("schema.cql");
        Path usual = temporary.resolve("usual");
        Path asked = temporary.resolve("asked");

        run("generate", "--schema", schema, "--partitions", "300", usual);
        Ended ended = run("generate", "--schema", schema, "--partitions", "300", "--version", version, asked);

        assertThat(ended.code()).as(ended.err()).isZero();
        assertThat(run("info", "--json", asked).json().get(0).get("version").asText())
                .isEqualTo(version);
        assertThat(digest(asked)).isEqualTo(digest(usual));
        assertThat(run("verify", asked).code()).isZero();
    }

    @Test
    void the_folder_of_a_result_has_the_names_of_the_source_however_it_is_typed() throws IOException {
        Path table = Files.createDirectories(temporary.resolve("shop").resolve("users-1"));
        Descriptor descriptor = new Descriptor(Version.NB, new SSTableId.Sequence(1));
        Path to = temporary.resolve("to");

        assertThat(new TargetFiles.Found(table.resolve("."), descriptor).folderIn(to))
                .isEqualTo(to.resolve("shop").resolve("users-1"));
        assertThat(new TargetFiles.Found(table.resolve("."), descriptor)).hasToString("users-1/" + descriptor);
        assertThatThrownBy(() -> new TargetFiles.Found(Path.of("/backup"), descriptor).folderIn(to))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("/backup: is in no folder of a keyspace");
    }
}
