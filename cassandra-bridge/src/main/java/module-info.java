/** The Cassandra dialect of the wire; for the commands of Sluice, so that it exports nothing. */
@SuppressWarnings("requires-automatic") // the driver and codecs have no descriptor
module io.sluice.cassandra {
    requires com.github.luben.zstd_jni;
    requires io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires io.sluice.netty;
    requires java.driver.core;
    requires static org.jspecify;
    requires org.lz4.java;
    requires org.slf4j;
    requires org.xerial.snappy;
}
