package io.sluice.netty;

/**
 * Settings of a {@link StreamingNode}. Immutable; built by {@link #builder()}.
 *
 * <p>Rates are in bytes per second; 0 means unlimited.
 */
public final class StreamOptions {
    private final String clusterName;
    private final int connectionsPerHost;
    private final boolean streamEntireSSTables;
    private final long entireSSTableThroughputOutbound;
    private final int keepAliveSeconds;

    private StreamOptions(Builder builder) {
        this.clusterName = builder.clusterName;
        this.connectionsPerHost = builder.connectionsPerHost;
        this.streamEntireSSTables = builder.streamEntireSSTables;
        this.entireSSTableThroughputOutbound = builder.entireSSTableThroughputOutbound;
        this.keepAliveSeconds = builder.keepAliveSeconds;
    }

    public static Builder builder() {
        return new Builder();
    }

    public String clusterName() {
        return clusterName;
    }

    public int connectionsPerHost() {
        return connectionsPerHost;
    }

    public boolean streamEntireSSTables() {
        return streamEntireSSTables;
    }

    public long entireSSTableThroughputOutbound() {
        return entireSSTableThroughputOutbound;
    }

    public int keepAliveSeconds() {
        return keepAliveSeconds;
    }

    /** Collects settings; each has a default. Not thread-safe. */
    public static final class Builder {
        private String clusterName = "sluice";
        private int connectionsPerHost = 1;
        private boolean streamEntireSSTables = true;
        private long entireSSTableThroughputOutbound;
        private int keepAliveSeconds = 5;

        private Builder() {}

        /** Name that both ends of a connection must share; default {@code sluice}; key {@code cluster_name}. */
        public Builder clusterName(String name) {
            this.clusterName = name;
            return this;
        }

        /** Data connections per peer, 1 to 32; default 1; key {@code streaming_connections_per_host}. */
        public Builder connectionsPerHost(int count) {
            this.connectionsPerHost = count;
            return this;
        }

        /** Whether whole SSTables may move as files; default true; key {@code stream_entire_sstables}. */
        public Builder streamEntireSSTables(boolean allowed) {
            this.streamEntireSSTables = allowed;
            return this;
        }

        /** Bytes per second; default 0; key {@code entire_sstable_stream_throughput_outbound}. */
        public Builder entireSSTableThroughputOutbound(long bytesPerSecond) {
            this.entireSSTableThroughputOutbound = bytesPerSecond;
            return this;
        }

        /**
         * Seconds of silence after which a keep-alive is sent, at least 1; a peer that is silent for six times as long
         * counts as lost; default 5; key {@code streaming_keep_alive_period}.
         */
        public Builder keepAliveSeconds(int seconds) {
            this.keepAliveSeconds = seconds;
            return this;
        }

        public StreamOptions build() {
            check("streaming_connections_per_host", connectionsPerHost, 1, 32);
            check("entire_sstable_stream_throughput_outbound", entireSSTableThroughputOutbound, 0, Long.MAX_VALUE);
            check("streaming_keep_alive_period", keepAliveSeconds, 1, 86_400);
            return new StreamOptions(this);
        }

        private static void check(String key, long value, long min, long max) {
            if (value < min || value > max) {
                throw new IllegalArgumentException(key + ": " + value + " (expected: " + min + " to " + max + ")");
            }
        }
    }
}
