package io.sluice.interop.live;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** The verdict on each cell, as Markdown. Not thread-safe. */
final class MatrixReport {
    private final Map<MatrixCell, String> lines = new LinkedHashMap<>();
    private final Map<String, Totals> totals = new TreeMap<>();

    /** Of one release and version. */
    private record Totals(int right, int wrong, int refused, int sstables, int verified) {
        static final Totals NONE = new Totals(0, 0, 0, 0, 0);

        Totals plus(Totals other) {
            return new Totals(
                    right + other.right,
                    wrong + other.wrong,
                    refused + other.refused,
                    sstables + other.sstables,
                    verified + other.verified);
        }
    }

    void right(MatrixCell cell, MatrixCheck.Counts counts) {
        lines.put(
                cell,
                "%d | %d | %d | %d | %d | equal | accepts all %d"
                        .formatted(
                                counts.sstables(),
                                counts.rows(),
                                counts.whole(),
                                counts.halves(),
                                counts.inRows(),
                                counts.verified()));
        add(cell, new Totals(1, 0, 0, counts.sstables(), counts.verified()));
    }

    void wrong(MatrixCell cell, Throwable why) {
        lines.put(cell, "| | | | | WRONG: " + firstLine(why) + " |");
        add(cell, new Totals(0, 1, 0, 0, 0));
    }

    void refused(MatrixCell cell, String reason) {
        lines.put(cell, "| | | | | | refuses to write: " + reason);
        add(cell, new Totals(0, 0, 1, 0, 0));
    }

    private void add(MatrixCell cell, Totals more) {
        totals.merge(cell.kind(), more, Totals::plus);
    }

    private static String firstLine(Throwable why) {
        String message = String.valueOf(why.getMessage()).strip().replaceAll("\\s+", " ");
        return message.substring(0, Math.min(200, message.length()));
    }

    /** Writes all of it. */
    void write(Path file) throws IOException {
        StringBuilder out = new StringBuilder("# What real nodes write\n\n");
        out.append("| node | cells right | wrong | refused by Cassandra | SSTables | verified by Cassandra |\n");
        out.append("| --- | --- | --- | --- | --- | --- |\n");
        totals.forEach((kind, sum) -> out.append("| %s | %d | %d | %d | %d | %d |\n"
                .formatted(kind, sum.right, sum.wrong, sum.refused, sum.sstables, sum.verified)));
        out.append(
                "\n| node | writer | compression | shape | SSTables | rows | whole | halves | halves as rows | Sluice"
                        + " | Cassandra |\n");
        out.append("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
        lines.forEach((cell, line) ->
                out.append("| ").append(cell).append(" | ").append(line).append(" |\n"));
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, out);
        System.out.println(out);
    }
}
