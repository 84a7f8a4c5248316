package io.sluice.bench.compare;

/** A way to move a table. */
enum Mode {
    FILES(
            "files",
            "whole SSTables, and slices where the ranges hold a part of one; no row is decoded; as nodes do it by"
                    + " default, over two connections if 64 MiB or more are missing"),
    FILES_SINGLE("files/one connection", "the same over one connection, as all modes below"),
    PARTIAL("partial", "stored chunks of the ranges; the receiver decodes every row"),
    MEMTABLE("mutation-memtable", "rows, a request for each partition; sorted in memory, flushed when full"),
    DIRECT("mutation-direct", "rows as one stream, written to one SSTable as they come"),
    DIRECT_FIXED("mutation-direct/fixed", "the same in an encoding of fixed width, as stores keep rows in memory"),
    TABLET(
            "tablet-file/tuned",
            "whole files through user space, of SSTables cut at the edges of the ranges beforehand"),
    TABLET_STRICT("tablet-file/strict", "the same, each component synced before the next one is sent");

    private final String label;
    private final String sentence;

    Mode(String label, String sentence) {
        this.label = label;
        this.sentence = sentence;
    }

    String label() {
        return label;
    }

    /** What it is. */
    String sentence() {
        return sentence;
    }
}
