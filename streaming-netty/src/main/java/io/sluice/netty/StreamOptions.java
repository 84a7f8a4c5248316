package io.sluice.netty;

import io.sluice.netty.StreamingNode.ThreadKind;
import io.sluice.netty.options.DeclaredOption;
import io.sluice.netty.options.DeclaredOptions;
import io.sluice.netty.options.OptionValues;
import io.sluice.netty.transport.SocketBuffers;
import io.sluice.streaming.Deadlines;
import io.sluice.streaming.Limit;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.access.AuditListener;
import io.sluice.streaming.access.AuditLog;
import io.sluice.streaming.access.Holds;
import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.install.PageCache;
import io.sluice.streaming.install.StagingLimits;
import io.sluice.streaming.memory.MemoryBudget;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.store.Authorizer;
import io.sluice.streaming.store.NodeIdentities;
import io.sluice.streaming.throttle.ForegroundLoad;
import io.sluice.streaming.transfer.ModeSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link StreamingNode}. Immutable; built by {@link #builder()}. docs/operations.md lists each key with
 * its default, its allowed values and its meaning. Long because the builder has a documented method for each option
 * that embedders set in code.
 */
public final class StreamOptions {
    private final OptionValues values;
    private final Predicate<UUID> isRemote;
    private final Supplier<? extends Collection<String>> peers;
    private final @Nullable BooleanSupplier isOverloaded;
    private final NodeIdentities identities;
    private final Authorizer authorizer;
    private final @Nullable Consumer<AuditEvent> audit;
    private final Optional<Listening> listening;
    private final PageCache pageCache;
    private final @Nullable Function<ThreadKind, ThreadFactory> threads;

    private StreamOptions(Builder builder) {
        this.values = new OptionValues(builder.texts);
        this.isRemote = builder.isRemote;
        this.peers = builder.peers;
        this.isOverloaded = builder.isOverloaded;
        this.identities = builder.identities;
        this.authorizer = builder.authorizer;
        this.audit = builder.audit;
        this.listening = Optional.ofNullable(builder.listening);
        this.pageCache = builder.pageCache;
        this.threads = builder.threads;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The value of every key, defaults included, in the format of the YAML file. */
    public Map<String, String> settings() {
        return values.texts();
    }

    /** The properties of the cluster that both ends of a connection must agree on. */
    Message.Cluster cluster() {
        return new Message.Cluster(
                values.get(DeclaredOptions.CLUSTER_NAME),
                values.get(DeclaredOptions.CLUSTER_ID).orElse(Message.Cluster.NO_ID),
                values.get(DeclaredOptions.PARTITIONER));
    }

    /** 0 if Sluice decides when to add one. */
    int connectionsPerHost() {
        return values.get(DeclaredOptions.STREAMING_CONNECTIONS_PER_HOST).orElse(0);
    }

    ModeSettings modes() {
        return new ModeSettings(
                values.get(DeclaredOptions.STREAM_ENTIRE_SSTABLES), values.get(DeclaredOptions.STREAM_SLICES));
    }

    /** Limits in bytes per second; 0 does not limit. */
    Map<Limit, Long> throughput() {
        Map<Limit, Long> rates = new EnumMap<>(Limit.class);
        DeclaredOptions.LIMITS.forEach((limit, option) -> rates.put(limit, values.get(option)));
        return rates;
    }

    /** Empty if the database does not report its load. */
    Optional<ForegroundLoad> foregroundLoad() {
        return isOverloaded == null ? Optional.empty() : Optional.of(isOverloaded::getAsBoolean);
    }

    Predicate<UUID> isRemote() {
        Set<UUID> named = new HashSet<>(values.get(DeclaredOptions.REMOTE_NODES));
        return isRemote.or(named::contains);
    }

    Supplier<Collection<String>> peers() {
        List<String> named = values.get(DeclaredOptions.PEERS);
        return () -> {
            Set<String> all = new HashSet<>(named);
            all.addAll(peers.get());
            return all;
        };
    }

    int sessionsPerPeer() {
        return values.get(DeclaredOptions.STREAMING_SESSIONS_PER_PEER);
    }

    Deadlines deadlines() {
        Duration period = values.get(DeclaredOptions.STREAMING_KEEP_ALIVE_PERIOD);
        return new Deadlines(
                period,
                values.get(DeclaredOptions.STREAMING_SILENCE_TIMEOUT)
                        .orElse(Deadlines.of(period).silence()),
                values.get(DeclaredOptions.STREAMING_PREPARE_TIMEOUT),
                values.get(DeclaredOptions.STREAMING_TRANSFER_TIMEOUT),
                values.get(DeclaredOptions.STREAMING_INSTALL_TIMEOUT));
    }

    RetryPolicy retries() {
        return new RetryPolicy(
                values.get(DeclaredOptions.STREAMING_RETRY_ATTEMPTS),
                values.get(DeclaredOptions.STREAMING_RETRY_MAX_ATTEMPTS),
                values.get(DeclaredOptions.STREAMING_RETRY_FIRST_PAUSE),
                values.get(DeclaredOptions.STREAMING_RETRY_LONGEST_PAUSE),
                values.get(DeclaredOptions.STREAMING_ROOM_PAUSE),
                values.get(DeclaredOptions.STREAMING_ROOM_TIMEOUT));
    }

    StagingLimits staging() {
        return new StagingLimits(
                values.get(DeclaredOptions.MIN_FREE_SPACE_PER_DRIVE),
                values.get(DeclaredOptions.STAGING_HEADROOM),
                values.get(DeclaredOptions.STAGING_RETAINED),
                values.get(DeclaredOptions.STAGING_RETAINED_AGE));
    }

    /** The percentage of a volume that files may occupy which only pins keep alive. */
    int pinnedPercent() {
        return values.get(DeclaredOptions.STREAMING_OBSOLETE_FILES);
    }

    /** The share of its time that a data connection spends on received bytes while the node serves clients. */
    int dutyBesideClients() {
        return values.get(DeclaredOptions.STREAMING_DUTY_BESIDE_CLIENTS);
    }

    MemoryBudget memory() {
        return new MemoryBudget(values.get(DeclaredOptions.STREAMING_MEMORY));
    }

    /** The maximum number of received files that are open at once. */
    int maxOpenFiles() {
        return values.get(DeclaredOptions.STREAM_MAX_OPEN_FILES).orElseGet(DescriptorLimit::sparing);
    }

    Duration schemaTimeout() {
        return values.get(DeclaredOptions.STREAMING_SCHEMA_TIMEOUT);
    }

    /** A listener, and the executor that runs its calls. */
    record Listening(StreamListener listener, Executor executor) {}

    /** The listener, if there is one. */
    Optional<Listening> listening() {
        return listening;
    }

    /** 0 leaves the sizes to the kernel. */
    int socketBufferBytes() {
        return values.get(DeclaredOptions.STREAMING_SOCKET_BUFFER_SIZE)
                .map(Math::toIntExact)
                .orElseGet(SocketBuffers::defaultBytes);
    }

    /** Empty for the system's default. */
    String congestionControl() {
        return values.get(DeclaredOptions.STREAMING_CONGESTION_CONTROL).orElse("");
    }

    /** Identity and trust, if connections are encrypted. */
    Optional<TlsFiles> tls() {
        return values.get(DeclaredOptions.TLS_CERTIFICATE)
                .map(certificate -> new TlsFiles(
                        certificate,
                        values.get(DeclaredOptions.TLS_KEY).orElseThrow(),
                        values.get(DeclaredOptions.TLS_TRUST).orElseThrow(),
                        values.get(DeclaredOptions.TLS_VERIFY_ENDPOINT),
                        values.get(DeclaredOptions.TLS_REVOKED)));
    }

    boolean allowPlaintext() {
        return values.get(DeclaredOptions.ALLOW_PLAINTEXT);
    }

    NodeIdentities identities() {
        return identities.or(NodeIdentities.byFingerprint(values.get(DeclaredOptions.TLS_FINGERPRINTS)));
    }

    Authorizer authorizer() {
        return authorizer;
    }

    AuditListener audit() {
        return audit == null ? new AuditLog() : audit::accept;
    }

    /** Empty for the default: daemon threads named after the node and their kind. */
    Optional<Function<ThreadKind, ThreadFactory>> threads() {
        return Optional.ofNullable(threads);
    }

    Holds.Rules holds() {
        return Holds.Rules.DEFAULTS.after(values.get(DeclaredOptions.VIOLATIONS_BEFORE_HOLD));
    }

    /** Checks options that depend on each other. */
    private StreamOptions checked() {
        Deadlines deadlines = deadlines();
        if (deadlines.silence().compareTo(deadlines.heartbeat()) <= 0) {
            throw contradiction(
                    DeclaredOptions.STREAMING_SILENCE_TIMEOUT,
                    "more than " + text(DeclaredOptions.STREAMING_KEEP_ALIVE_PERIOD));
        }
        if (values.get(DeclaredOptions.STREAMING_RETRY_MAX_ATTEMPTS)
                < values.get(DeclaredOptions.STREAMING_RETRY_ATTEMPTS)) {
            throw contradiction(
                    DeclaredOptions.STREAMING_RETRY_MAX_ATTEMPTS,
                    "at least " + text(DeclaredOptions.STREAMING_RETRY_ATTEMPTS));
        }
        boolean isEncrypted = values.get(DeclaredOptions.TLS_CERTIFICATE).isPresent();
        if (isEncrypted != values.get(DeclaredOptions.TLS_KEY).isPresent()
                || isEncrypted != values.get(DeclaredOptions.TLS_TRUST).isPresent()) {
            throw new IllegalArgumentException(
                    "tls_certificate, tls_key, tls_trust: only some are set (expected: all three, or none)");
        }
        if (!isEncrypted && values.get(DeclaredOptions.TLS_REVOKED).isPresent()) {
            throw new IllegalArgumentException("tls_revoked: set without tls_certificate, tls_key and tls_trust"
                    + " (expected: none, because plain-text connections have no certificates)");
        }
        return this;
    }

    private IllegalArgumentException contradiction(DeclaredOption<?> option, String expected) {
        String value = settings().get(option.key());
        return new IllegalArgumentException(option.key() + ": '" + value + "' (expected: " + expected + ")");
    }

    private String text(DeclaredOption<?> option) {
        return option.key() + ", " + settings().get(option.key());
    }

    PageCache pageCache() {
        return pageCache;
    }

    /** Collects settings; each has a default. Not thread-safe. */
    public static final class Builder {
        private final Map<String, String> texts = new LinkedHashMap<>();
        private Predicate<UUID> isRemote = peer -> false;
        private Supplier<? extends Collection<String>> peers = List::of;
        private @Nullable BooleanSupplier isOverloaded;
        private NodeIdentities identities = NodeIdentities.byAlternativeName();
        private Authorizer authorizer = Authorizer.EVERYTHING;
        private @Nullable Consumer<AuditEvent> audit; // null: the audit log, created when the node starts
        private @Nullable Listening listening;
        private PageCache pageCache = PageCache.KEEP;
        private @Nullable Function<ThreadKind, ThreadFactory> threads;

        private Builder() {}

        /**
         * Sets an option by its key, with a value as in the YAML file: {@code set("streaming_memory", "1GiB")}.
         *
         * @throws IllegalArgumentException if the key is unknown (the message names the nearest), or the value not
         *     allowed
         */
        public Builder set(String key, String text) {
            DeclaredOptions.of(key).read(text);
            texts.put(key, text);
            return this;
        }

        /** Sets several options by their keys, as {@link #set} does. */
        public Builder settings(Map<String, String> settings) {
            settings.forEach(this::set);
            return this;
        }

        private <T> Builder put(DeclaredOption<T> option, T value) {
            return set(option.key(), option.type().write(value));
        }

        /**
         * The name of the cluster; both ends of a connection must have the same. Key {@code cluster_name}, default
         * sluice.
         */
        public Builder clusterName(String name) {
            return put(DeclaredOptions.CLUSTER_NAME, name);
        }

        /** The immutable id of the cluster; a peer with another id is refused. Key {@code cluster_id}, default none. */
        public Builder clusterId(UUID id) {
            return put(
                    DeclaredOptions.CLUSTER_ID, id.equals(Message.Cluster.NO_ID) ? Optional.empty() : Optional.of(id));
        }

        /**
         * Data connections of each session, 1 to 32; with 0 Sluice opens a second one if much is missing, and adds
         * others as long as throughput grows. Key {@code streaming_connections_per_host}, default auto.
         */
        public Builder connectionsPerHost(int count) {
            return put(
                    DeclaredOptions.STREAMING_CONNECTIONS_PER_HOST, count == 0 ? Optional.empty() : Optional.of(count));
        }

        /** Whether this node sends entire SSTables as files. Key {@code stream_entire_sstables}, default true. */
        public Builder streamEntireSSTables(boolean allowed) {
            return put(DeclaredOptions.STREAM_ENTIRE_SSTABLES, allowed);
        }

        /** Whether this node sends parts of SSTables as slices. Key {@code stream_slices}, default true. */
        public Builder streamSlices(boolean allowed) {
            return put(DeclaredOptions.STREAM_SLICES, allowed);
        }

        /** Sets a limit in bytes per second, 0 for none. The key is {@link Limit#key}, default 0. */
        public Builder throughput(Limit limit, long bytesPerSecond) {
            return set(limit.key(), bytesPerSecond == 0 ? "0" : bytesPerSecond + "B/s");
        }

        /**
         * Decides whether a peer that fetches from this node is in another data centre, for the limits between data
         * centres. Use the database's own ring, not what the peer claims. Key {@code remote_nodes} names further nodes.
         * Called on threads of Sluice; must not block. (For peers that this node fetches from, the plan has the data
         * centre.)
         */
        public Builder isRemote(Predicate<UUID> peer) {
            this.isRemote = peer;
            return this;
        }

        /**
         * Host names or IP addresses of nodes that may connect, besides those of key {@code peers}: the members of the
         * ring and joining nodes. Pre-handshake connections from these hosts have a quota of their own, so that a flood
         * of other connections cannot displace them. Called when the node starts and every 10 s, on a thread that may
         * block.
         */
        public Builder peers(Supplier<? extends Collection<String>> hosts) {
            this.peers = hosts;
            return this;
        }

        /**
         * Reports whether the database's own requests are slowed down, by a measure of its choice that looks back over
         * about a second. Sluice asks ten times a second. When the answer becomes true, streaming reduces its rate by a
         * quarter, and halves it after each further second, down to 1 MiB/s; afterwards it returns to near the rate
         * that was too high within seconds, and slowly beyond. By default the load does not slow streaming down. Called
         * on the thread that decides for all sessions: it must answer from memory, and not block.
         */
        public Builder foregroundLoad(BooleanSupplier isOverloaded) {
            this.isOverloaded = isOverloaded;
            return this;
        }

        /**
         * Seconds after which an end that sent nothing sends a heartbeat. A peer is lost after six such periods of
         * silence. Key {@code streaming_keep_alive_period}, default 5s.
         */
        public Builder keepAliveSeconds(int seconds) {
            return put(DeclaredOptions.STREAMING_KEEP_ALIVE_PERIOD, Duration.ofSeconds(seconds));
        }

        /**
         * How long sessions wait, the period of heartbeats included. Keys {@code streaming_keep_alive_period},
         * {@code streaming_silence_timeout} and the three timeouts after it.
         */
        public Builder deadlines(Deadlines waits) {
            put(DeclaredOptions.STREAMING_KEEP_ALIVE_PERIOD, waits.heartbeat());
            put(DeclaredOptions.STREAMING_SILENCE_TIMEOUT, Optional.of(waits.silence()));
            put(DeclaredOptions.STREAMING_PREPARE_TIMEOUT, waits.prepare());
            put(DeclaredOptions.STREAMING_TRANSFER_TIMEOUT, waits.transfer());
            return put(DeclaredOptions.STREAMING_INSTALL_TIMEOUT, waits.install());
        }

        /**
         * How often a session is retried before the plan asks another source. Keys {@code streaming_retry_attempts} ff.
         */
        public Builder retries(RetryPolicy policy) {
            put(DeclaredOptions.STREAMING_RETRY_ATTEMPTS, policy.attempts());
            put(DeclaredOptions.STREAMING_RETRY_MAX_ATTEMPTS, policy.maxAttempts());
            put(DeclaredOptions.STREAMING_RETRY_FIRST_PAUSE, policy.firstPause());
            put(DeclaredOptions.STREAMING_RETRY_LONGEST_PAUSE, policy.longestPause());
            put(DeclaredOptions.STREAMING_ROOM_PAUSE, policy.roomPause());
            return put(DeclaredOptions.STREAMING_ROOM_TIMEOUT, policy.roomTimeout());
        }

        /**
         * Encrypts all connections with TLS 1.3. The node refuses plain-text connections and peers without a
         * certificate that {@code files} trust. Keys {@code tls_certificate}, {@code tls_key}, {@code tls_trust},
         * {@code tls_revoked}, {@code tls_verify_endpoint}.
         */
        public Builder tls(TlsFiles files) {
            put(DeclaredOptions.TLS_CERTIFICATE, Optional.<Path>of(files.certificate()));
            put(DeclaredOptions.TLS_KEY, Optional.<Path>of(files.key()));
            put(DeclaredOptions.TLS_TRUST, Optional.<Path>of(files.trust()));
            put(DeclaredOptions.TLS_REVOKED, files.revoked());
            return put(DeclaredOptions.TLS_VERIFY_ENDPOINT, files.verifiesEndpoint());
        }

        /**
         * Whether a node without {@link #tls} may listen on an address that other machines can reach. Key
         * {@code allow_plaintext}, default false.
         */
        public Builder allowPlaintext(boolean allowed) {
            return put(DeclaredOptions.ALLOW_PLAINTEXT, allowed);
        }

        /**
         * The maximum number of concurrent sessions with one peer, in each direction. Key
         * {@code streaming_sessions_per_peer}, default 64.
         */
        public Builder sessionsPerPeer(int sessions) {
            return put(DeclaredOptions.STREAMING_SESSIONS_PER_PEER, sessions);
        }

        /**
         * Maps certificates to the nodes that may use them. With {@link #tls} each end refuses a peer whose certificate
         * belongs to another node. The default reads the subject alternative name {@code urn:sluice:node:ID};
         * fingerprints of key {@code tls_fingerprints} are always accepted, too.
         */
        public Builder identities(NodeIdentities bound) {
            this.identities = bound;
            return this;
        }

        /**
         * Decides which peers may connect, fetch and offer which tables. By default every peer that passes TLS may do
         * everything.
         */
        public Builder authorizer(Authorizer access) {
            this.authorizer = access;
            return this;
        }

        /**
         * Receives an event for each connection, plan and order, on the thread where it occurs. That thread may serve
         * connections: the listener must not block. Sluice logs what it throws. By default the logger
         * {@code io.sluice.audit} writes one line for each event. Events caused by unauthenticated peers, and refused
         * connections of others, are limited to a few a minute; the next one has the number of those suppressed, or an
         * {@link AuditEvent.Suppressed} before it.
         */
        public Builder audit(Consumer<AuditEvent> listener) {
            this.audit = listener;
            return this;
        }

        /**
         * The memory that streaming may use, in bytes; {@code docs/operations.md} describes how it is divided. Key
         * {@code streaming_memory}, default 512MiB.
         */
        public Builder memoryBytes(long bytes) {
            return put(DeclaredOptions.STREAMING_MEMORY, bytes);
        }

        /**
         * The maximum number of files open at once for received bytes. Key {@code stream_max_open_files}, default auto.
         */
        public Builder maxOpenFiles(int files) {
            return put(DeclaredOptions.STREAM_MAX_OPEN_FILES, Optional.of(files));
        }

        /**
         * How long a plan waits for a table that this node does not know yet. Key {@code streaming_schema_timeout},
         * default 30s.
         */
        public Builder schemaTimeout(Duration timeout) {
            return put(DeclaredOptions.STREAMING_SCHEMA_TIMEOUT, timeout);
        }

        /**
         * Receives notifications of sessions, tables, waits, progress and results on threads of {@code executor}.
         * Streaming never waits for the executor: one that rejects, drops or delays tasks only loses notifications. By
         * default there is no listener.
         */
        public Builder listener(StreamListener listener, Executor executor) {
            this.listening = new Listening(listener, executor);
            return this;
        }

        /**
         * Supplies a thread factory for each kind of thread. If a factory returns null or throws while the node starts,
         * the start fails; later, work waits for the existing threads, and a session without a receiving thread fails
         * with LIMIT. Threads of {@link ThreadKind#SESSION}, {@link ThreadKind#ACCEPT}, {@link ThreadKind#HANDSHAKE},
         * {@link ThreadKind#CONTROL} and {@link ThreadKind#IO} are event loops, which must be platform threads: if one
         * is virtual, the start fails. Others may be virtual. All threads have ended when {@link StreamingNode#close}
         * returns, unless a call of the database or the disk hangs. Default: daemons, {@code sluice-<node>-<kind>-...}.
         */
        public Builder threads(Function<ThreadKind, ThreadFactory> factories) {
            this.threads = factories;
            return this;
        }

        /**
         * Drops streamed files from the page cache, so that they do not evict what the database reads: implement it
         * with {@code posix_fadvise} and {@code DONTNEED}, which Java does not offer. Called with each file of 1 MiB or
         * more once it is durable, on threads that may block. Sluice logs a failure; the transfer continues. By default
         * nothing is dropped.
         */
        public Builder pageCache(Consumer<Path> drop) {
            this.pageCache = drop::accept;
            return this;
        }

        /**
         * Checks that the options fit together, and builds them.
         *
         * @throws IllegalArgumentException if options contradict each other
         */
        public StreamOptions build() {
            return new StreamOptions(this).checked();
        }
    }
}
