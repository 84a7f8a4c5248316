package io.sluice.harness.cli.sstable;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.sluice.harness.json.Json;
import io.sluice.harness.report.ByteFormat;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory.Unread;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.metadata.Stats;
import io.sluice.sstable.metadata.TimeBounds;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./sluice sstable info}. Not thread-safe. */
@Command(
        name = "info",
        addMethodSubcommands = false,
        description = "Shows what the components of SSTables say of them; Data.db is not read.")
final class InfoCommand implements Callable<Integer> {
    private static final double LAST_SECOND_OF_YEAR_9999 = 253_402_300_799.0;

    @Parameters(paramLabel = "DIR", description = "A Data.db, the folder of a table, or a data directory.")
    private Path path = Path.of("");

    @Option(names = "--json", description = "As JSON.")
    private boolean json;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** What is shown. Times in microseconds since 1970, sizes in bytes. */
    record Info(
            String folder,
            String name,
            String version,
            long dataBytes,
            long bytesOnDisk,
            String compression,
            double compressionRatio,
            String firstToken,
            String lastToken,
            long partitions,
            long rows,
            long cells,
            long minTimestamp,
            long maxTimestamp,
            int level,
            long repairedAtMillis,
            Map<String, Long> components) {
        static Info of(Path folder, SSTable sstable) throws IOException {
            Stats stats = sstable.statistics().stats();
            Map<String, Long> components = new LinkedHashMap<>();
            for (Component component : sstable.components()) {
                components.put(component.fileName(), sstable.lengthBytes(component));
            }
            TimeBounds.Bounds written = stats.times().timestamps();
            return new Info(
                    folder.toString(),
                    sstable.descriptor().toString(),
                    sstable.descriptor().version().letters(),
                    sstable.dataLengthBytes(),
                    sstable.bytesOnDisk(),
                    sstable.compression()
                            .map(info -> info.parameters().compressor().className() + ", chunks of "
                                    + ByteFormat.text(info.parameters().chunkLengthBytes()))
                            .orElse("none"),
                    stats.distributions().compressionRatio(),
                    sstable.firstToken().toString(),
                    sstable.lastToken().toString(),
                    stats.distributions().partitionLengths().total(),
                    stats.content().rows(),
                    stats.content().cells(),
                    written.least(),
                    written.greatest(),
                    stats.placement().level(),
                    stats.placement().repairedAtMillis(),
                    components);
        }
    }

    /** In the JSON: one of which nothing can be shown. */
    record NotShown(String sstable, String leftOut) {
        static NotShown of(Unread left) {
            return new NotShown(
                    left.path().toString(), String.valueOf(left.why().getMessage()));
        }
    }

    @Override
    public Integer call() throws IOException {
        List<Info> infos = new ArrayList<>();
        Selection<TargetFiles.Opened> selection = TargetFiles.open(path);
        for (TargetFiles.Opened opened : selection.sstables()) {
            infos.add(Info.of(opened.found().folder(), opened.sstable()));
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(text(
                    Stream.concat(infos.stream(), selection.leftOut().stream().map(NotShown::of))
                            .toList()));
        } else {
            infos.forEach(info -> print(info, out));
        }
        out.flush();
        return selection.reportLeftOut(spec.commandLine().getErr());
    }

    private static String text(Object value) throws JsonProcessingException {
        return Json.MAPPER.writeValueAsString(value);
    }

    private static void print(Info info, PrintWriter out) {
        out.println(info.folder() + "/" + info.name());
        line(out, "data", ByteFormat.text(info.dataBytes()) + ", " + ByteFormat.text(info.bytesOnDisk()) + " on disk");
        line(out, "compression", info.compression());
        line(out, "tokens", info.firstToken() + " to " + info.lastToken());
        line(out, "content", info.partitions() + " partitions, " + info.rows() + " rows, " + info.cells() + " cells");
        line(out, "written", time(info.minTimestamp()) + " to " + time(info.maxTimestamp()));
        line(out, "level", Integer.toString(info.level()));
        line(
                out,
                "repaired",
                info.repairedAtMillis() == 0
                        ? "no"
                        : Instant.ofEpochMilli(info.repairedAtMillis()).toString());
        info.components().forEach((name, bytes) -> line(out, name, ByteFormat.text(bytes)));
        out.println();
    }

    private static String time(long micros) {
        boolean isDate = Math.abs(micros / 1e6) < LAST_SECOND_OF_YEAR_9999;
        return isDate ? Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString() : Long.toString(micros);
    }

    private static void line(PrintWriter out, String name, String value) {
        out.printf("  %-20s %s%n", name, value);
    }
}
