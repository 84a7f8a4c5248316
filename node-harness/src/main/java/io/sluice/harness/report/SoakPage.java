package io.sluice.harness.report;

import java.util.List;

/**
 * What the page of a soak shows: how long each of many runs or operations took, when things happened in them, and
 * tables. Immutable.
 *
 * @param outcome a word or two
 * @param tiles the figures above everything else
 * @param bars one for each run or operation, in order
 * @param marks what happened, as points on one line for each kind
 */
public record SoakPage(
        String title,
        String text,
        boolean isGood,
        String outcome,
        List<Tile> tiles,
        String barsTitle,
        String barsKey,
        List<Bar> bars,
        String marksTitle,
        List<Mark> marks,
        List<Table> tables,
        String footer) {
    public SoakPage {
        tiles = List.copyOf(tiles);
        bars = List.copyOf(bars);
        marks = List.copyOf(marks);
        tables = List.copyOf(tables);
    }

    /** A figure, and what it counts. */
    public record Tile(String value, String name) {}

    /**
     * One run or operation.
     *
     * @param isAgain whether it did not go through at once
     * @param isGood whether it ended as it has to
     */
    public record Bar(int number, String kind, double seconds, boolean isAgain, boolean isGood, String text) {}

    /** Something that happened, at a share of the way, 0 to 1. */
    public record Mark(String kind, double share, String text) {}

    /** Columns that begin with {@code #} hold numbers. */
    public record Table(String title, List<String> columns, List<List<String>> rows) {
        public Table {
            columns = List.copyOf(columns);
            rows = List.copyOf(rows);
        }
    }
}
