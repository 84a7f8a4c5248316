/** What an SSTable is on disk. For embedders: tokens and ranges of them. */
@SuppressWarnings({"module", "requires-automatic"}) // those it names come later; codecs have no descriptor
module io.sluice.sstable {
    requires com.github.luben.zstd_jni;
    requires static org.jspecify;
    requires org.lz4.java;
    requires org.xerial.snappy;

    exports io.sluice.sstable.token;

    // For modules of Sluice alone: these may change with any release.
    exports io.sluice.sstable to
            io.sluice.cassandra,
            io.sluice.streaming;
    exports io.sluice.sstable.component to
            io.sluice.cassandra,
            io.sluice.streaming;
    exports io.sluice.sstable.compression to
            io.sluice.cassandra,
            io.sluice.streaming;
    exports io.sluice.sstable.data to
            io.sluice.cassandra,
            io.sluice.streaming;
    exports io.sluice.sstable.encoding to
            io.sluice.cassandra,
            io.sluice.netty,
            io.sluice.streaming;
    exports io.sluice.sstable.index to
            io.sluice.cassandra,
            io.sluice.streaming;
    exports io.sluice.sstable.key to
            io.sluice.cassandra,
            io.sluice.streaming;
    exports io.sluice.sstable.metadata to
            io.sluice.cassandra,
            io.sluice.streaming;
    exports io.sluice.sstable.type to
            io.sluice.cassandra;
}
