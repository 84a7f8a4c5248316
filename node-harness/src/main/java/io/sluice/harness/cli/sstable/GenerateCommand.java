package io.sluice.harness.cli.sstable;

import io.sluice.harness.cli.LongWork;
import io.sluice.harness.cli.SizeConverter;
import io.sluice.harness.cli.TextFile;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.json.Json;
import io.sluice.harness.report.ByteFormat;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.generate.TableGenerator;
import io.sluice.sstable.schema.SchemaException;
import io.sluice.sstable.schema.TableSchema;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./sluice sstable generate}. Not thread-safe. */
@Command(
        name = "generate",
        sortOptions = false,
        description = "Makes a data set of any schema: every type, static rows, deletions, times to live.",
        footer = {"", "The same options give the same files. Counters cannot be made up and are refused by nodes."})
final class GenerateCommand implements Callable<Integer> {
    private static final long MEBIBYTE = 1 << 20;
    /** Behind the word cancelled. */
    static final String REPEATED = "; the same command again removes what is there of it, and begins anew";

    private static final long DEFAULT_BYTES = 16 * MEBIBYTE;

    @Option(
            names = "--schema",
            paramLabel = "FILE.cql",
            required = true,
            description = "CREATE TABLE keyspace.table, and the types it uses.")
    private Path schema = Path.of("");

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "About how much Data.db in all, before compression (default: 16MiB).")
    private long size = DEFAULT_BYTES;

    @Option(names = "--partitions", paramLabel = "N", description = "How many partitions, in place of --size.")
    private @Nullable Integer partitions;

    @Option(names = "--sstables", paramLabel = "N", description = "How many SSTables (default: 1 for each 160 MiB).")
    private @Nullable Integer sstables;

    @Option(
            names = "--overlapping",
            description = "Each SSTable spans the ring, and two by two they hold the same partitions.")
    private boolean overlapping;

    @Option(names = "--seed", paramLabel = "S", description = "Another seed, other content (default: 1).")
    private long seed = 1;

    @Mixin
    private Format format = new Format();

    @Option(names = "--json", description = "Says as JSON what was made.")
    private boolean json;

    @Parameters(paramLabel = "OUTDIR", description = "Where <keyspace>/<table>-<id>/ is made.")
    private Path target = Path.of("");

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** What was made. */
    record Generated(String folder, List<String> sstables) {}

    @Override
    public Integer call() throws IOException {
        requirePositive("--size", size);
        requirePositive("--partitions", partitions == null ? 1 : partitions);
        requirePositive("--sstables", sstables == null ? 1 : sstables);
        String cql = cql();
        TableSchema table = parse(cql);
        Version version = format.versionOr(Version.NB);
        Path folder = folder(table, id(table, cql));
        TableGenerator.Order order =
                new TableGenerator.Order(size, optional(partitions), optional(sstables), overlapping, seed);
        List<Descriptor> made;
        try (LongWork work = LongWork.begin(REPEATED);
                NewSSTables fresh = new NewSSTables(spec.commandLine().getErr())) {
            fresh.folder("OUTDIR", target, folder);
            if (partitions == null) {
                work.phase("generating", size);
            } else {
                work.phase("generating", partitions, "partitions");
            }
            TableGenerator generator =
                    new TableGenerator(table, version, format.on(table.options()), told(folder, work, fresh));
            made = NewSSTables.to(folder, () -> generator.write(folder, order));
            fresh.finish();
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            List<String> names = made.stream().map(Descriptor::toString).toList();
            out.println(Json.MAPPER.writeValueAsString(new Generated(folder.toString(), names)));
        } else {
            out.println(folder + ": " + made.size() + (made.size() == 1 ? " SSTable, " : " SSTables, ")
                    + ByteFormat.text(bytesIn(folder)) + " on disk");
        }
        out.flush();
        return 0;
    }

    private static void requirePositive(String option, long value) {
        if (value < 1) {
            throw new ConfigException(option + " " + value + " (expected: 1 or more)");
        }
    }

    private String cql() {
        return TextFile.read("--schema", schema, "a file with a CREATE TABLE statement");
    }

    private TableSchema parse(String cql) {
        try {
            return TableSchema.parse(cql);
        } catch (SchemaException e) {
            throw new ConfigException(schema + ": " + e.getMessage(), e);
        }
    }

    /** Made from the schema, so that the same schema lies in the same folder. */
    private static UUID id(TableSchema table, String cql) {
        String text = table.keyspace() + "." + table.name() + " " + cql;
        return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    private Path folder(TableSchema table, UUID id) {
        try {
            return TableDirectory.in(target, table.keyspace(), table.name(), id);
        } catch (IllegalArgumentException e) {
            throw new ConfigException(schema + ": " + e.getMessage(), e);
        }
    }

    private static OptionalInt optional(@Nullable Integer value) {
        return value == null ? OptionalInt.empty() : OptionalInt.of(value);
    }

    private TableGenerator.Listener told(Path folder, LongWork work, NewSSTables fresh) {
        boolean isOfPartitions = partitions != null;
        return new TableGenerator.Listener() {
            @Override
            public void begins(Descriptor descriptor) throws IOException {
                fresh.begin(folder, descriptor);
            }

            @Override
            public void partition(long lengthBytes) {
                work.add(isOfPartitions ? 1 : lengthBytes);
            }
        };
    }

    private static long bytesIn(Path folder) throws IOException {
        long sum = 0;
        try (var files = Files.list(folder)) {
            for (Path file : files.toList()) {
                sum += Files.size(file);
            }
        }
        return sum;
    }
}
