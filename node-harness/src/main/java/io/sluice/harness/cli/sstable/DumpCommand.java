package io.sluice.harness.cli.sstable;

import io.sluice.harness.cli.LongWork;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.content.RowsRead;
import io.sluice.harness.report.ExitCode;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.data.PartitionReader;
import io.sluice.sstable.json.Dump;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./sluice sstable dump}. Not thread-safe. */
@Command(
        name = "dump",
        addMethodSubcommands = false,
        description = "Prints the partitions of one SSTable as JSON, in the shape of Cassandra's sstabledump -t.",
        footer = {"", "Unlike sstabledump it shows the count of a counter, not the bytes of its shards."})
final class DumpCommand implements Callable<Integer> {
    @Parameters(paramLabel = "DIR", description = "A Data.db, or a folder with a single SSTable in it.")
    private Path path = Path.of("");

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--json", description = "Changes nothing: a dump is JSON in any case.")
    void acceptJson(boolean json) {
        // All commands of the group take it.
    }

    @Override
    public Integer call() throws IOException {
        Selection<TargetFiles.Found> selection = TargetFiles.find(path).requireAny();
        List<TargetFiles.Found> found = selection.sstables();
        if (found.size() > 1) {
            throw new ConfigException(path + ": holds " + found.size() + " SSTables (expected: one; name its Data.db: "
                    + found.stream().limit(5).map(Object::toString).collect(Collectors.joining(", ")) + ")");
        }
        SSTable sstable = found.get(0).open();
        PrintWriter out = spec.commandLine().getOut();
        try (LongWork work = LongWork.beginPrinting();
                PartitionReader reader = PartitionReader.open(
                        RowsRead.watched(sstable, TokenRanges.FULL, bytes -> add(bytes, work, out)))) {
            work.phase("dumping", sstable.dataLengthBytes());
            new Dump(reader, sstable.descriptor().version(), Instant.now().getEpochSecond(), out).print();
        } catch (CancellationException nobodyReads) {
            return ExitCode.FAILED.number(); // which is said at the end of the process
        }
        out.println();
        out.flush();
        return selection.reportLeftOut(spec.commandLine().getErr());
    }

    /**
     * @throws CancellationException if what is printed goes nowhere; of Ctrl-C, too, but then {@link LongWork#close}
     *     does not return
     */
    private static void add(long bytes, LongWork work, PrintWriter out) {
        work.add(bytes);
        if (out.checkError()) {
            throw new CancellationException("standard output cannot be written");
        }
    }
}
