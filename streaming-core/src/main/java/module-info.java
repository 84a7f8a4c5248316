/** What moving a table means: plans, the store that a database implements, and results. */
@SuppressWarnings("module") // those it names come later
module io.sluice.streaming {
    requires transitive io.sluice.sstable;
    requires jdk.jfr;
    requires static org.jspecify;
    requires org.slf4j;

    exports io.sluice.streaming;
    exports io.sluice.streaming.audit;
    exports io.sluice.streaming.plan;
    exports io.sluice.streaming.progress;
    exports io.sluice.streaming.ring;
    exports io.sluice.streaming.store;

    // For modules of Sluice alone: these may change with any release.
    exports io.sluice.streaming.access to
            io.sluice.netty;
    exports io.sluice.streaming.engine to
            io.sluice.netty;
    exports io.sluice.streaming.engine.receive to
            io.sluice.netty;
    exports io.sluice.streaming.engine.send to
            io.sluice.netty;
    exports io.sluice.streaming.guard to
            io.sluice.cassandra,
            io.sluice.netty;
    exports io.sluice.streaming.install to
            io.sluice.netty;
    exports io.sluice.streaming.log to
            io.sluice.cassandra,
            io.sluice.netty;
    exports io.sluice.streaming.memory to
            io.sluice.cassandra,
            io.sluice.netty;
    exports io.sluice.streaming.message to
            io.sluice.netty;
    exports io.sluice.streaming.metrics to
            io.sluice.netty;
    exports io.sluice.streaming.planner to
            io.sluice.netty;
    exports io.sluice.streaming.runtime to
            io.sluice.netty;
    exports io.sluice.streaming.session to
            io.sluice.cassandra,
            io.sluice.netty;
    exports io.sluice.streaming.throttle to
            io.sluice.cassandra,
            io.sluice.netty;
    exports io.sluice.streaming.transfer to
            io.sluice.netty;
    exports io.sluice.streaming.transfer.block to
            io.sluice.netty;
}
