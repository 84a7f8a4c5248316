package io.sluice.harness.cli.sstable;

import io.sluice.harness.cli.LongWork;
import io.sluice.harness.content.RowsRead;
import io.sluice.harness.json.Json;
import io.sluice.harness.report.ByteFormat;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.SliceWriter;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./sluice sstable slice}. Not thread-safe. */
@Command(
        name = "slice",
        addMethodSubcommands = false,
        description = "Cuts the partitions of a token range out of each SSTable, without decoding rows; sources stay.",
        footer = {
            "",
            "Data is copied as it is stored; index, filter, checksums and statistics are made anew. A compressed slice"
                    + " may begin with an empty partition whose key says so; no read returns it, and compaction drops it."
        })
final class SliceCommand implements Callable<Integer> {
    @Parameters(paramLabel = "DIR", description = "A Data.db, the folder of a table, or a data directory.")
    private Path path = Path.of("");

    @Option(
            names = "--range",
            paramLabel = "START,END",
            required = true,
            description = "Tokens after START up to END, or all; may be repeated.")
    private List<String> ranges = new ArrayList<>();

    @Option(
            names = "--join",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description = "Makes one slice of each SSTable (default); with --no-join one for each range of tokens.")
    private boolean join = true;

    @Option(
            names = "--to",
            paramLabel = "OUTDIR",
            required = true,
            description = "Where <keyspace>/<table>-<id>/ is made for them.")
    private Path target = Path.of("");

    @Option(names = "--json", description = "As JSON.")
    private boolean json;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** One slice; sizes are bytes of Data.db. */
    record Cut(String from, String range, String to, long bytes, long bytesAsTheyWere) {}

    @Override
    public Integer call() throws IOException {
        List<Cut> all = new ArrayList<>();
        PrintWriter out = spec.commandLine().getOut();
        TokenRanges wanted = TokenRanges.of(
                ranges.stream().map(text -> TokenRangeParser.parse(text, spec)).toList());
        Selection<TargetFiles.Opened> selection = TargetFiles.open(path);
        try (LongWork work = LongWork.begin(GenerateCommand.REPEATED);
                NewSSTables fresh = new NewSSTables(spec.commandLine().getErr())) {
            work.phase("slicing", bytes(selection, wanted));
            for (TargetFiles.Opened source : selection.sstables()) {
                for (TokenRanges of : join ? List.of(wanted) : each(wanted)) {
                    Path folder = fresh.folder("--to", target, source.found().folderIn(target));
                    NewSSTables.to(folder, () -> cut(source, of, folder, work, fresh))
                            .ifPresent(cut -> {
                                all.add(cut);
                                if (!json) {
                                    work.aside(() -> print(cut, out));
                                }
                            });
                }
            }
            fresh.finish();
        }
        if (json) {
            out.println(Json.MAPPER.writeValueAsString(all));
        }
        out.flush();
        int code = selection.reportLeftOut(spec.commandLine().getErr());
        if (all.isEmpty()) {
            throw new IOException("no partition of " + path + " lies in " + wanted + "; nothing was written");
        }
        return code;
    }

    private static long bytes(Selection<TargetFiles.Opened> selection, TokenRanges wanted) throws IOException {
        long bytes = 0;
        for (TargetFiles.Opened source : selection.sstables()) {
            bytes += RowsRead.bytes(source.sstable(), wanted);
        }
        return bytes;
    }

    private static void print(Cut cut, PrintWriter out) {
        out.println(cut.from() + " " + cut.range() + " -> " + cut.to() + ": " + ByteFormat.text(cut.bytes())
                + ", of which " + ByteFormat.text(cut.bytesAsTheyWere()) + " as they were");
        out.flush();
    }

    private void warn(String text) {
        PrintWriter err = spec.commandLine().getErr();
        err.println("sluice: " + text);
        err.flush();
    }

    private static List<TokenRanges> each(TokenRanges wanted) {
        return wanted.ranges().stream().map(TokenRanges::of).toList();
    }

    private Optional<Cut> cut(
            TargetFiles.Opened source, TokenRanges wanted, Path folder, LongWork work, NewSSTables fresh)
            throws IOException {
        fresh.prepare(folder); // removes what was left, so that its numbers are free
        Descriptor descriptor = unused(folder, source.found().descriptor().version());
        fresh.begin(folder, descriptor);
        SliceWriter.Effort watched = new SliceWriter.Effort(
                SliceWriter.Effort.ALONE.helper(), RowsRead.of(source.sstable(), wanted, work::add));
        Optional<SliceWriter.Slice> written = SliceWriter.write(source.sstable(), wanted, folder, descriptor, watched);
        written.flatMap(SliceWriter.Slice::filterProblem)
                .ifPresent(problem -> work.aside(() -> warn(problem + "; its slice has a new filter")));
        return written.map(slice -> new Cut(
                source.found().toString(),
                wanted.ranges().size() == 1
                        ? wanted.ranges().get(0).toString()
                        : wanted.ranges().size() + " ranges",
                folder.resolve(descriptor.toString()).toString(),
                slice.sstable().lengthBytes(Component.DATA),
                slice.bytesAsTheyWere()));
    }

    private static Descriptor unused(Path folder, Version version) {
        return IntStream.iterate(1, id -> id + 1)
                .mapToObj(id -> new Descriptor(version, new SSTableId.Sequence(id)))
                .filter(descriptor -> !Files.exists(folder.resolve(descriptor.fileName(Component.DATA))))
                .findFirst()
                .orElseThrow();
    }
}
