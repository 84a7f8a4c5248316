/**
 * All of Sluice for embedders in one module. It exports what the modules of its parts export to everybody, and requires
 * what these and the Netty within need.
 */
@SuppressWarnings({"module", "requires-automatic"}) // Micrometer has no descriptor
module io.sluice.embedded {
    requires java.logging;
    requires java.naming;
    requires jdk.jfr;
    requires jdk.management;
    requires jdk.net;
    requires jdk.unsupported;
    requires static micrometer.core;
    requires org.slf4j;

    exports io.sluice.netty;
    exports io.sluice.netty.metrics;
    exports io.sluice.sstable.token;
    exports io.sluice.streaming;
    exports io.sluice.streaming.audit;
    exports io.sluice.streaming.plan;
    exports io.sluice.streaming.progress;
    exports io.sluice.streaming.ring;
    exports io.sluice.streaming.store;
}
