package io.sluice.harness.cli.sstable;

import io.sluice.harness.cli.LongWork;
import io.sluice.harness.content.RowsRead;
import io.sluice.harness.json.Json;
import io.sluice.harness.report.ByteFormat;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.PartitionReader;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./sluice sstable rewrite}. Not thread-safe. */
@Command(
        name = "rewrite",
        description =
                "Reads every row and writes new SSTables of the same content, one for one; sources stay as they are.")
final class RewriteCommand implements Callable<Integer> {
    @Parameters(paramLabel = "DIR", description = "A Data.db, the folder of a table, or a data directory.")
    private Path path = Path.of("");

    @Option(
            names = "--to",
            paramLabel = "OUTDIR",
            required = true,
            description = "Where <keyspace>/<table>-<id>/ is made for them.")
    private Path target = Path.of("");

    @Mixin
    private Format format = new Format();

    @Option(names = "--json", description = "As JSON.")
    private boolean json;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** One SSTable and what became of it; sizes are bytes on disk. */
    record Rewritten(String from, String to, long bytesBefore, long bytesAfter) {}

    @Override
    public Integer call() throws IOException {
        format.versionOr(Version.OA); // one that cannot be written is refused before anything is read
        List<Rewritten> all = new ArrayList<>();
        PrintWriter out = spec.commandLine().getOut();
        Selection<TargetFiles.Opened> selection = TargetFiles.open(path);
        try (LongWork work = LongWork.begin(GenerateCommand.REPEATED);
                NewSSTables fresh = new NewSSTables(spec.commandLine().getErr())) {
            work.phase(
                    "rewriting",
                    selection.sstables().stream()
                            .mapToLong(opened -> opened.sstable().dataLengthBytes())
                            .sum());
            for (TargetFiles.Opened opened : selection.sstables()) {
                Path folder = fresh.folder("--to", target, opened.found().folderIn(target));
                Rewritten one = NewSSTables.to(folder, () -> rewrite(opened, folder, work, fresh));
                all.add(one);
                if (!json) {
                    work.aside(() -> print(one, out));
                }
            }
            fresh.finish();
        }
        if (json) {
            out.println(Json.MAPPER.writeValueAsString(all));
            out.flush();
        }
        return selection.reportLeftOut(spec.commandLine().getErr());
    }

    private static void print(Rewritten one, PrintWriter out) {
        out.println(one.from() + " -> " + one.to() + ": " + ByteFormat.text(one.bytesBefore()) + " -> "
                + ByteFormat.text(one.bytesAfter()));
        out.flush();
    }

    private Rewritten rewrite(TargetFiles.Opened opened, Path folder, LongWork work, NewSSTables fresh)
            throws IOException {
        SSTable source = opened.sstable();
        Version version = format.versionOr(source.descriptor().version());
        WriterOptions options = format.on(WriterOptions.like(source));
        Descriptor descriptor = new Descriptor(version, source.descriptor().id());
        fresh.begin(folder, descriptor);
        try (PartitionReader reader = PartitionReader.open(RowsRead.watched(source, TokenRanges.FULL, work::add));
                SSTableWriter writer = SSTableWriter.create(folder, descriptor, reader.header(), options)) {
            writer.appendAll(reader);
            SSTable written = writer.finish();
            return new Rewritten(
                    opened.found().toString(),
                    folder.resolve(descriptor.toString()).toString(),
                    source.bytesOnDisk(),
                    written.bytesOnDisk());
        }
    }
}
