package io.sluice.harness.cli.sstable;

import io.sluice.harness.cli.Beside;
import io.sluice.harness.cli.LongWork;
import io.sluice.harness.content.RowsRead;
import io.sluice.harness.json.Json;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.io.PrintWriter;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./sluice sstable digest}. Not thread-safe. */
@Command(
        name = "digest",
        addMethodSubcommands = false,
        description = "Digests the merged content of each table: equal for the same rows, however they are spread.",
        footer = {"", "Digests of ranges that do not overlap add up, so ranges may be compared in any partition."})
final class DigestCommand implements Callable<Integer> {
    @Parameters(paramLabel = "DIR", description = "The folder of a table, or a data directory.")
    private Path path = Path.of("");

    @Option(names = "--parts", paramLabel = "N", description = "Cuts the ring into N equal ranges (default: 1).")
    private int parts = 1;

    @Option(
            names = "--range",
            paramLabel = "START,END",
            description = "Only tokens after START up to END; may be repeated.")
    private List<String> ranges = new ArrayList<>();

    @Option(names = "--json", description = "As JSON.")
    private boolean json;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** One digest. */
    record Line(String table, String range, String digest, long partitions, long rows, long cells) {}

    @Override
    public Integer call() throws IOException {
        List<Line> lines = new ArrayList<>();
        Selection<TargetFiles.Opened> selection = TargetFiles.open(path);
        Map<Path, List<SSTable>> tables = new LinkedHashMap<>();
        for (TargetFiles.Opened opened : selection.sstables()) {
            tables.computeIfAbsent(opened.found().folder(), folder -> new ArrayList<>())
                    .add(opened.sstable());
        }
        List<TokenRange> wanted = wanted();
        try (LongWork work = LongWork.begin("")) {
            work.phase("digesting rows", bytes(selection, wanted));
            for (Map.Entry<Path, List<SSTable>> table : tables.entrySet()) {
                for (TokenRange range : wanted) {
                    ContentDigest digest = digest(table.getValue(), TokenRanges.of(range), work);
                    lines.add(new Line(
                            table.getKey().getFileName().toString(),
                            range.toString(),
                            digest.hex(),
                            digest.partitions(),
                            digest.rows(),
                            digest.cells()));
                }
            }
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(Json.MAPPER.writeValueAsString(lines));
        } else {
            lines.forEach(line -> out.printf(
                    Locale.ROOT,
                    "%s  %s %s: %d partitions, %d rows, %d cells%n",
                    line.digest(),
                    line.table(),
                    line.range(),
                    line.partitions(),
                    line.rows(),
                    line.cells()));
        }
        out.flush();
        return selection.reportLeftOut(spec.commandLine().getErr());
    }

    /** Of ranges that overlap each time anew, as they are read. */
    private static long bytes(Selection<TargetFiles.Opened> selection, List<TokenRange> wanted) throws IOException {
        long bytes = 0;
        for (TargetFiles.Opened opened : selection.sstables()) {
            for (TokenRange range : wanted) {
                bytes += RowsRead.bytes(opened.sstable(), TokenRanges.of(range));
            }
        }
        return bytes;
    }

    private static ContentDigest digest(List<SSTable> sstables, TokenRanges range, LongWork work) throws IOException {
        List<SSTable> watched = new ArrayList<>();
        for (SSTable sstable : sstables) {
            watched.add(RowsRead.watched(sstable, range, work::add));
        }
        return ContentDigest.of(watched, range);
    }

    private List<TokenRange> wanted() {
        if (!ranges.isEmpty()) {
            Beside.forbid("--parts", parts != 1, "--range", true);
            return ranges.stream()
                    .map(text -> TokenRangeParser.parse(text, spec))
                    .toList();
        }
        if (parts < 1 || parts > 100_000) {
            throw new ParameterException(spec.commandLine(), "--parts: " + parts + " (expected: 1 to 100000)");
        }
        return parts == 1 ? List.of(TokenRange.FULL) : equalRanges();
    }

    private List<TokenRange> equalRanges() {
        BigInteger step = BigInteger.ONE.shiftLeft(Long.SIZE).divide(BigInteger.valueOf(parts));
        List<TokenRange> equal = new ArrayList<>();
        long start = Long.MIN_VALUE;
        for (int i = 1; i <= parts; i++) {
            long end = i == parts
                    ? Long.MIN_VALUE // around to the beginning: the last range ends there
                    : Long.MIN_VALUE + step.multiply(BigInteger.valueOf(i)).longValue();
            equal.add(TokenRange.of(start, end));
            start = end;
        }
        return equal;
    }
}
