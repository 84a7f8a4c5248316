/** Loads and receives in Cassandra's dialect from a module of its own; compiled and run by EmbeddedBridgeTest. */
module tiny.loader {
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport.classes.epoll;
    requires io.sluice.cassandra;
    requires io.sluice.sstable;
    requires io.sluice.streaming;
}
