package io.sluice.netty;

import io.sluice.netty.transport.SocketBuffers;
import io.sluice.streaming.Deadlines;
import io.sluice.streaming.Limit;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.access.AuditListener;
import io.sluice.streaming.access.AuditLog;
import io.sluice.streaming.access.Holds;
import io.sluice.streaming.engine.send.SendingSessions;
import io.sluice.streaming.install.StagingLimits;
import io.sluice.streaming.memory.MemoryBudget;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.store.Authorizer;
import io.sluice.streaming.store.NodeIdentities;
import io.sluice.streaming.throttle.ForegroundLoad;
import io.sluice.streaming.transfer.ModeSettings;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link StreamingNode}. Immutable; built by {@link #builder()}.
 *
 * <p>Rates are in bytes per second; 0 means unlimited.
 */
@SuppressWarnings("exports") // until its options are simple
public final class StreamOptions {
    private static final int MAX_NAME_LENGTH = 256;
    private static final int MAX_OPEN_FILES = 1_000_000;
    private static final int MAX_VIOLATIONS = 100;

    private final Message.Cluster cluster;
    private final int connectionsPerHost;
    private final ModeSettings modes;
    private final Map<Limit, Long> throughput;
    private final Predicate<UUID> isRemote;
    private final Supplier<? extends Collection<String>> peers;
    private final ForegroundLoad foregroundLoad;
    private final int sessionsPerPeer;
    private final int keepAliveSeconds;
    private final int socketBufferBytes;
    private final String congestionControl;
    private final Optional<TlsFiles> tls;
    private final boolean allowPlaintext;
    private final NodeIdentities identities;
    private final Authorizer authorizer;
    private final AuditListener audit;
    private final Holds.Rules holds;
    private final Deadlines deadlines;
    private final RetryPolicy retries;
    private final StagingLimits staging;
    private final int pinnedPercent;
    private final MemoryBudget memory;
    private final int maxOpenFiles;
    private final Duration schemaPatience;
    private final Consumer<PlanResult> finished;

    private StreamOptions(Builder builder) {
        this.cluster = new Message.Cluster(builder.clusterName, builder.clusterId, builder.partitioner);
        this.connectionsPerHost = builder.connectionsPerHost;
        this.modes = new ModeSettings(builder.streamEntireSSTables, builder.streamSlices);
        this.throughput = Map.copyOf(builder.throughput);
        this.isRemote = builder.isRemote;
        this.peers = builder.peers;
        this.foregroundLoad = builder.foregroundLoad;
        this.sessionsPerPeer = builder.sessionsPerPeer;
        this.keepAliveSeconds = builder.keepAliveSeconds;
        this.socketBufferBytes = builder.socketBufferBytes;
        this.congestionControl = builder.congestionControl;
        this.tls = Optional.ofNullable(builder.tls);
        this.allowPlaintext = builder.allowPlaintext;
        this.identities = builder.identities;
        this.authorizer = builder.authorizer;
        this.audit = builder.audit;
        this.holds = builder.holds;
        this.deadlines = builder.deadlines == null
                ? Deadlines.of(Duration.ofSeconds(builder.keepAliveSeconds))
                : builder.deadlines;
        this.retries = builder.retries;
        this.staging = builder.staging;
        this.pinnedPercent = builder.pinnedPercent;
        this.memory = builder.memory;
        this.maxOpenFiles = builder.maxOpenFiles;
        this.schemaPatience = builder.schemaPatience;
        this.finished = builder.finished;
    }

    public static Builder builder() {
        return new Builder();
    }

    public String clusterName() {
        return cluster.name();
    }

    /** What both ends of a connection must agree on. */
    public Message.Cluster cluster() {
        return cluster;
    }

    public int connectionsPerHost() {
        return connectionsPerHost;
    }

    /** Which ways of moving SSTables this node uses when it is a source. */
    public ModeSettings modes() {
        return modes;
    }

    /** Limits in bytes per second; one that is missing, or 0, does not limit. */
    public Map<Limit, Long> throughput() {
        return throughput;
    }

    /** What the database says of how it goes. */
    public ForegroundLoad foregroundLoad() {
        return foregroundLoad;
    }

    /** Whether the node with an id is in another data centre. */
    public Predicate<UUID> isRemote() {
        return isRemote;
    }

    /** Hosts at which peers of this node are found, as far as the database says. */
    public Supplier<? extends Collection<String>> peers() {
        return peers;
    }

    /** How many sessions this node has with one peer at once, in each direction. */
    public int sessionsPerPeer() {
        return sessionsPerPeer;
    }

    public int keepAliveSeconds() {
        return keepAliveSeconds;
    }

    /** How long sessions wait, and for what. */
    public Deadlines deadlines() {
        return deadlines;
    }

    /** How often sessions are tried again. */
    public RetryPolicy retries() {
        return retries;
    }

    /** What staging leaves to others. */
    public StagingLimits staging() {
        return staging;
    }

    /** How much of the volume files may take that only pins keep alive, in percent. */
    public int pinnedPercent() {
        return pinnedPercent;
    }

    /** The most that streaming takes of this node's memory, and how it is divided. */
    public MemoryBudget memory() {
        return memory;
    }

    /** How many files that bytes land in are open at once, at most. */
    public int maxOpenFiles() {
        return maxOpenFiles;
    }

    /** How long a table of a plan may be unknown here. */
    public Duration schemaPatience() {
        return schemaPatience;
    }

    /** Who is told how each plan ended. */
    public Consumer<PlanResult> finished() {
        return finished;
    }

    public int socketBufferBytes() {
        return socketBufferBytes;
    }

    public String congestionControl() {
        return congestionControl;
    }

    /** Identity and trust, if connections are encrypted. */
    public Optional<TlsFiles> tls() {
        return tls;
    }

    /** Whether a node that others than this machine reach may go without encryption. */
    public boolean allowPlaintext() {
        return allowPlaintext;
    }

    /** For which nodes a certificate speaks. */
    public NodeIdentities identities() {
        return identities;
    }

    /** What the database lets peers do. */
    public Authorizer authorizer() {
        return authorizer;
    }

    /** Who is told what peers and administrators do. */
    public AuditListener audit() {
        return audit;
    }

    /** When those who violate the protocol are not let in for a while. */
    public Holds.Rules holds() {
        return holds;
    }

    /** Collects settings; each has a default. Not thread-safe. */
    public static final class Builder {
        private String clusterName = "sluice";
        private UUID clusterId = Message.Cluster.NO_ID;
        private String partitioner = Message.Cluster.MURMUR3;
        private int connectionsPerHost;
        private boolean streamEntireSSTables = true;
        private boolean streamSlices = true;
        private final Map<Limit, Long> throughput = new EnumMap<>(Limit.class);
        private Predicate<UUID> isRemote = peer -> false;
        private Supplier<? extends Collection<String>> peers = List::of;
        private ForegroundLoad foregroundLoad = ForegroundLoad.NONE;
        private int sessionsPerPeer = 64;
        private int keepAliveSeconds = 5;
        private int socketBufferBytes = SocketBuffers.defaultBytes();
        private String congestionControl = "";
        private @Nullable TlsFiles tls;
        private boolean allowPlaintext;
        private NodeIdentities identities = NodeIdentities.byAlternativeName();
        private Authorizer authorizer = Authorizer.EVERYTHING;
        private AuditListener audit = new AuditLog();
        private Holds.Rules holds = Holds.Rules.DEFAULTS;
        private @Nullable Deadlines deadlines;
        private RetryPolicy retries = RetryPolicy.DEFAULTS;
        private StagingLimits staging = StagingLimits.DEFAULTS;
        private int pinnedPercent = 10;
        private MemoryBudget memory = MemoryBudget.DEFAULTS;
        private int maxOpenFiles = DescriptorLimit.sparing();
        private Duration schemaPatience = Duration.ofSeconds(30);
        private Consumer<PlanResult> finished = result -> {};

        private Builder() {}

        /** Name that both ends of a connection must share; default {@code sluice}; key {@code cluster_name}. */
        public Builder clusterName(String name) {
            this.clusterName = name;
            return this;
        }

        /**
         * Id of the cluster, which never changes: peers that say another one are refused, also if the name is the same.
         * Default: none, which goes with every one.
         */
        public Builder clusterId(UUID id) {
            this.clusterId = id;
            return this;
        }

        /**
         * What makes tokens of keys, 1 to 256 characters; peers that say another are refused; default
         * Murmur3Partitioner.
         */
        public Builder partitioner(String name) {
            this.partitioner = name;
            return this;
        }

        /**
         * Data connections of each session, 1 to 32; 0, the default, for as many as make bytes come faster, up to 8.
         * Key {@code streaming_connections_per_host}, where 0 is written {@code auto}.
         */
        public Builder connectionsPerHost(int count) {
            this.connectionsPerHost = count;
            return this;
        }

        /**
         * Whether this node sends SSTables of which everything is wanted as files, or as rows; default true; key
         * {@code stream_entire_sstables}.
         */
        public Builder streamEntireSSTables(boolean allowed) {
            this.streamEntireSSTables = allowed;
            return this;
        }

        /**
         * Whether this node sends parts of SSTables as slices where that is cheaper than rows; default true; key
         * {@code stream_slices}.
         */
        public Builder streamSlices(boolean allowed) {
            this.streamSlices = allowed;
            return this;
        }

        /** Bytes per second, 0 for no limit; default 0; keys as {@link Limit#key} has them. */
        public Builder throughput(Limit limit, long bytesPerSecond) {
            check(limit.key(), bytesPerSecond, 0, Long.MAX_VALUE);
            this.throughput.put(limit, bytesPerSecond);
            return this;
        }

        /**
         * Tells whether a peer that fetches from this node is in another data centre, by what the database knows of its
         * ring, never by what the peer says; for the limits that count only there. Default: none is. Called from
         * Sluice's threads; quick. (Of peers that this node fetches from, the plan says where they are.)
         */
        public Builder isRemote(Predicate<UUID> peer) {
            this.isRemote = peer;
            return this;
        }

        /**
         * Host names or IP addresses of nodes that may connect: the members of the ring, and nodes that join it.
         * Connections from there have room of their own before they have said who they are, which no flood of others
         * takes. Default: none is known. Asked when the node starts and every 10 s, on a thread that may wait. Key
         * {@code peers}.
         */
        public Builder peers(Supplier<? extends Collection<String>> hosts) {
            this.peers = hosts;
            return this;
        }

        /**
         * Asks the database how its own work goes: while it suffers, streaming halves what it moves, again and again,
         * down to 1 MiB/s, and comes back slowly. Default: never asked.
         */
        public Builder foregroundLoad(ForegroundLoad load) {
            this.foregroundLoad = load;
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

        /**
         * Send and receive buffers of data connections, 0 to 1 GiB; 0 leaves them to the kernel, which grows them as
         * needed; default 4 MiB where the kernel allows as much, else 0.
         */
        public Builder socketBufferBytes(int bytes) {
            this.socketBufferBytes = bytes;
            return this;
        }

        /**
         * The kernel's algorithm of congestion control for data that leaves, as {@code cubic}; empty for the system's
         * default, but cubic on loopback; default empty. Only on Linux.
         */
        public Builder congestionControl(String algorithm) {
            this.congestionControl = algorithm;
            return this;
        }

        /**
         * Encrypts all connections by TLS 1.3; peers without a certificate that {@code files} trust are refused, and so
         * are those that speak plain text. Default: plain text. Keys {@code tls_certificate}, {@code tls_key},
         * {@code tls_trust}, {@code tls_verify_endpoint}.
         */
        public Builder tls(TlsFiles files) {
            this.tls = files;
            return this;
        }

        /**
         * Whether a node without {@link #tls} may listen on an address that is not a loopback address: whoever reaches
         * it may then read and follow all that is streamed, and fetch any table. Default false: such a node does not
         * start. Key {@code allow_plaintext}.
         */
        public Builder allowPlaintext(boolean allowed) {
            this.allowPlaintext = allowed;
            return this;
        }

        /**
         * The most sessions that this node has with one peer at once, in each direction, 1 to 1,024; default 64. What a
         * peer begins beyond them is refused, code LIMIT; sessions that this node would begin wait for one that ends.
         * Key {@code streaming_sessions_per_peer}.
         */
        public Builder sessionsPerPeer(int sessions) {
            check("streaming_sessions_per_peer", sessions, 1, SendingSessions.MOST_SESSIONS);
            this.sessionsPerPeer = sessions;
            return this;
        }

        /**
         * For which nodes a certificate speaks: with {@link #tls} a peer that shows another one is refused at either
         * end, whoever has signed it. Default: by subject alternative names, {@code urn:sluice:node:} and the id. Key
         * {@code tls_fingerprints}, for certificates that have none.
         */
        public Builder identities(NodeIdentities bound) {
            this.identities = bound;
            return this;
        }

        /**
         * What the database lets peers do: connect, fetch a table, offer a table. Default: everything, to whoever TLS
         * lets in.
         */
        public Builder authorizer(Authorizer access) {
            this.authorizer = access;
            return this;
        }

        /**
         * Who is told of each connection, plan and order; default: the logger {@value AuditLog#LOGGER}, a line for each
         * ({@link AuditLog}). Of what somebody without a certificate causes a few a minute are told, and the others
         * counted.
         */
        public Builder audit(AuditListener listener) {
            this.audit = listener;
            return this;
        }

        /**
         * When peers that violate the protocol again and again are not let in for a while: by their certificate, or
         * else by their address. Default: {@link Holds.Rules#DEFAULTS}, the third time within ten minutes, for a minute
         * at first and an hour at most. Key {@code violations_before_hold}, 0 to 100, 0 for never; default 3.
         */
        public Builder holds(Holds.Rules rules) {
            check("violations_before_hold", rules.violations(), 0, MAX_VIOLATIONS);
            this.holds = rules;
            return this;
        }

        /** How long sessions wait; default: what follows from {@link #keepAliveSeconds}. */
        public Builder deadlines(Deadlines waits) {
            this.deadlines = waits;
            return this;
        }

        /** How often a session is tried again before another source is asked; default {@link RetryPolicy#DEFAULTS}. */
        public Builder retries(RetryPolicy policy) {
            this.retries = policy;
            return this;
        }

        /** What staging leaves to others; default {@link StagingLimits#DEFAULTS}. */
        public Builder staging(StagingLimits limits) {
            this.staging = limits;
            return this;
        }

        /**
         * How much of the volume, in percent, files may take that the database has replaced and that only transfers
         * from here keep alive, 0 to 100; default 10. Beyond it peers are refused, and try again later.
         */
        public Builder pinnedPercent(int percent) {
            check("pinned", percent, 0, 100);
            this.pinnedPercent = percent;
            return this;
        }

        /**
         * The most that streaming takes of this node's memory, at least 16 MiB; default 512 MiB; key
         * {@code streaming_memory}. {@link MemoryBudget} says how it is divided, and what waits or is refused beyond
         * it.
         */
        public Builder memoryBytes(long bytes) {
            this.memory = new MemoryBudget(bytes);
            return this;
        }

        /**
         * Files that bytes land in and that are open at once, of all sessions together, 1 to 1,000,000; beyond it one
         * in which nothing lands is closed, after a sync, or the connection waits. Default: an eighth of the file
         * descriptors that the process may have, 64 to 1,024; key {@code stream_max_open_files}, where that is written
         * {@code auto}. Besides, there is a file open for each connection that sends and for each table that is being
         * fetched, and a few for each of 22 threads.
         */
        public Builder maxOpenFiles(int files) {
            check("stream_max_open_files", files, 1, MAX_OPEN_FILES);
            this.maxOpenFiles = files;
            return this;
        }

        /** How long a plan waits for a table that is not known here yet before it refuses it; default 30 s. */
        public Builder schemaPatience(Duration patience) {
            this.schemaPatience = patience;
            return this;
        }

        /**
         * Told how each plan ended: once in a process life, as the last that is said of that plan, from a disk thread.
         * May call back into the node. Default: nobody.
         */
        public Builder finished(Consumer<PlanResult> listener) {
            this.finished = listener;
            return this;
        }

        public StreamOptions build() {
            checkName("cluster_name", clusterName);
            checkName("partitioner", partitioner);
            check("streaming_connections_per_host", connectionsPerHost, 0, 32);
            check("streaming_keep_alive_period", keepAliveSeconds, 1, 86_400);
            check("socket buffer", socketBufferBytes, 0, 1 << 30);
            return new StreamOptions(this);
        }

        private static void checkName(String key, String name) {
            if (name.isBlank() || name.length() > MAX_NAME_LENGTH) {
                throw new IllegalArgumentException(
                        key + ": " + name.length() + " characters (expected: 1 to " + MAX_NAME_LENGTH + ", not blank)");
            }
        }

        private static void check(String key, long value, long min, long max) {
            if (value < min || value > max) {
                throw new IllegalArgumentException(key + ": " + value + " (expected: " + min + " to " + max + ")");
            }
        }
    }
}
