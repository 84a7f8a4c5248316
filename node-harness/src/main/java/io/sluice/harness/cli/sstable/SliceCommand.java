package io.sluice.harness.cli.sstable;

import io.sluice.harness.json.Json;
import io.sluice.harness.report.Bytes;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.SliceWriter;
import io.sluice.sstable.token.TokenRange;
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
        mixinStandardHelpOptions = true,
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
            description = "Tokens after START up to END; may be repeated: each stretch of them becomes a slice.")
    private List<String> ranges = new ArrayList<>();

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
                ranges.stream().map(text -> Ranges.parse(text, spec)).toList());
        for (Targets.Found found : Targets.find(path)) {
            SSTable source = found.open();
            if (!SliceWriter.canSlice(source)) {
                spec.commandLine().getErr().println(found + ": left out (slices are of nb and oa)");
                continue;
            }
            for (TokenRange range : wanted.ranges()) {
                cut(found, source, range).ifPresent(cut -> {
                    all.add(cut);
                    if (!json) {
                        out.println(cut.from() + " " + cut.range() + " -> " + cut.to() + ": " + Bytes.text(cut.bytes())
                                + ", of which " + Bytes.text(cut.bytesAsTheyWere()) + " as they were");
                        out.flush();
                    }
                });
            }
        }
        if (json) {
            out.println(Json.MAPPER.writeValueAsString(all));
        } else if (all.isEmpty()) {
            out.println("no partition lies in " + wanted);
        }
        out.flush();
        return 0;
    }

    private Optional<Cut> cut(Targets.Found found, SSTable source, TokenRange range) throws IOException {
        Path folder = found.folderIn(target);
        Descriptor descriptor = unused(folder, source.descriptor().version());
        return SliceWriter.write(source, range, folder, descriptor)
                .map(slice -> new Cut(
                        found.toString(),
                        range.toString(),
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
