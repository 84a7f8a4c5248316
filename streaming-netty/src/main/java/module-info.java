/** A streaming node over Netty, its options and its metrics. */
@SuppressWarnings({"module", "requires-automatic"}) // Micrometer has no descriptor, Netty 4.1 neither
module io.sluice.netty {
    requires transitive io.sluice.streaming;
    requires io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires io.netty.transport.classes.epoll;
    requires io.netty.transport.unix.common;
    requires jdk.management;
    requires jdk.net;
    requires jdk.unsupported; // Netty 4.1 uses it, and has no descriptor to say so
    requires static micrometer.core;
    requires static org.jspecify;
    requires org.slf4j;

    exports io.sluice.netty;
    exports io.sluice.netty.metrics;

    // For modules of Sluice alone: these may change with any release.
    exports io.sluice.netty.security to
            io.sluice.cassandra;
    exports io.sluice.netty.transport to
            io.sluice.cassandra;
}
