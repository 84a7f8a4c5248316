package io.sluice.harness.report;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** A table on a terminal: columns as wide as their longest cell. Not thread-safe. */
public final class TextTable {
    private final List<List<String>> rows = new ArrayList<>();

    public TextTable(String... headings) {
        row(headings);
    }

    /** Adds a row of as many cells as there are headings. */
    public void row(String... cells) {
        rows.add(List.of(cells));
    }

    /** Prints all rows, and an empty line; nothing if there are only headings. */
    public void print(PrintStream out) {
        if (rows.size() > 1) {
            lines().forEach(out::println);
            out.println();
        }
    }

    /** All rows, that of the headings first, as lines of text. */
    public List<String> lines() {
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int column = 0; column < row.size(); column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder("  ");
            for (int column = 0; column < row.size(); column++) {
                line.append(row.get(column))
                        .append(" ".repeat(widths[column] - row.get(column).length() + 2));
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }
}
