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
 * Settings of a {@link StreamingNode}. Immutable; built by {@link #builder()}. docs/operations.md lists the keys, with
 * the default, what is allowed and what each is for.
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

    /** Every setting that has a key, as it would be written, defaults included. */
    public Map<String, String> settings() {
        return values.texts();
    }

    /** What both ends of a connection must agree on. */
    Message.Cluster cluster() {
        return new Message.Cluster(
                values.get(DeclaredOptions.CLUSTER_NAME),
                values.get(DeclaredOptions.CLUSTER_ID).orElse(Message.Cluster.NO_ID),
                values.get(DeclaredOptions.PARTITIONER));
    }

    /** 0 for as many as make bytes arrive faster. */
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

    /** Empty if the database does not say how its own work goes. */
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

    /** How much of the volume files may take that only pins keep alive, in percent. */
    int pinnedPercent() {
        return values.get(DeclaredOptions.STREAMING_OBSOLETE_FILES);
    }

    MemoryBudget memory() {
        return new MemoryBudget(values.get(DeclaredOptions.STREAMING_MEMORY));
    }

    /** How many files that bytes land in are open at once, at most. */
    int maxOpenFiles() {
        return values.get(DeclaredOptions.STREAM_MAX_OPEN_FILES).orElseGet(DescriptorLimit::sparing);
    }

    Duration schemaTimeout() {
        return values.get(DeclaredOptions.STREAMING_SCHEMA_TIMEOUT);
    }

    /** Who is notified of what the node streams, and where. */
    record Listening(StreamListener listener, Executor executor) {}

    /** Who is notified of what the node streams. */
    Optional<Listening> listening() {
        return listening;
    }

    /** 0 leaves them to the kernel. */
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

    /** Empty for daemons named after the node and their kind. */
    Optional<Function<ThreadKind, ThreadFactory>> threads() {
        return Optional.ofNullable(threads);
    }

    Holds.Rules holds() {
        return Holds.Rules.DEFAULTS.after(values.get(DeclaredOptions.VIOLATIONS_BEFORE_HOLD));
    }

    /** What no option alone can say. */
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
                    + " (expected: none, as in plain text nobody shows a certificate)");
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
        private @Nullable Consumer<AuditEvent> audit; // a log of its own by default, made when the node starts
        private @Nullable Listening listening;
        private PageCache pageCache = PageCache.KEEP;
        private @Nullable Function<ThreadKind, ThreadFactory> threads;

        private Builder() {}

        /**
         * Sets any option that has a key, as it would be written in YAML: {@code set("streaming_memory", "1GiB")}.
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

        /** The same at both ends of a connection. Key {@code cluster_name}, default sluice. */
        public Builder clusterName(String name) {
            return put(DeclaredOptions.CLUSTER_NAME, name);
        }

        /** Never changes; a peer with another one is refused. Key {@code cluster_id}, default none. */
        public Builder clusterId(UUID id) {
            return put(
                    DeclaredOptions.CLUSTER_ID, id.equals(Message.Cluster.NO_ID) ? Optional.empty() : Optional.of(id));
        }

        /**
         * Data connections of each session, 1 to 32; 0 for as many as make bytes arrive faster. Key
         * {@code streaming_connections_per_host}, default auto.
         */
        public Builder connectionsPerHost(int count) {
            return put(
                    DeclaredOptions.STREAMING_CONNECTIONS_PER_HOST, count == 0 ? Optional.empty() : Optional.of(count));
        }

        /** Whether whole SSTables leave as files. Key {@code stream_entire_sstables}, default true. */
        public Builder streamEntireSSTables(boolean allowed) {
            return put(DeclaredOptions.STREAM_ENTIRE_SSTABLES, allowed);
        }

        /** Whether parts of SSTables leave as slices. Key {@code stream_slices}, default true. */
        public Builder streamSlices(boolean allowed) {
            return put(DeclaredOptions.STREAM_SLICES, allowed);
        }

        /** Bytes per second, 0 for no limit; keys as {@link Limit#key} has them, default 0. */
        public Builder throughput(Limit limit, long bytesPerSecond) {
            return set(limit.key(), bytesPerSecond == 0 ? "0" : bytesPerSecond + "B/s");
        }

        /**
         * Says whether a peer that fetches from this node is in another data centre, by what the database knows of its
         * ring, never by what the peer says; for the limits that count only there. Key {@code remote_nodes} names
         * others. Called from Sluice's threads; quick. (Of peers that this node fetches from, the plan says where they
         * are.)
         */
        public Builder isRemote(Predicate<UUID> peer) {
            this.isRemote = peer;
            return this;
        }

        /**
         * Host names or IP addresses of nodes that may connect, besides those of key {@code peers}: the members of the
         * ring, and nodes that join it. Connections from there have room of their own before their handshake is
         * complete, which no flood of others takes. Asked when the node starts and every 10 s, on a thread that may
         * wait.
         */
        public Builder peers(Supplier<? extends Collection<String>> hosts) {
            this.peers = hosts;
            return this;
        }

        /**
         * Asks the database, ten times a second, whether its own requests are slowed down, by whatever measure it has:
         * while they do, streaming halves what it moves, again and again, down to 1 MiB/s, and comes back slowly. Never
         * asked by default.
         */
        public Builder foregroundLoad(BooleanSupplier isOverloaded) {
            this.isOverloaded = isOverloaded;
            return this;
        }

        /**
         * Seconds after which an end that has sent nothing sends a heartbeat; a peer that is silent for six times as
         * long is lost. Key {@code streaming_keep_alive_period}, default 5s.
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
         * How often a session is tried again before another source is asked. Keys {@code streaming_retry_attempts} ff.
         */
        public Builder retries(RetryPolicy policy) {
            put(DeclaredOptions.STREAMING_RETRY_ATTEMPTS, policy.attempts());
            put(DeclaredOptions.STREAMING_RETRY_MAX_ATTEMPTS, policy.maxAttempts());
            put(DeclaredOptions.STREAMING_RETRY_FIRST_PAUSE, policy.firstPause());
            put(DeclaredOptions.STREAMING_RETRY_LONGEST_PAUSE, policy.longestPause());
            put(DeclaredOptions.STREAMING_ROOM_PAUSE, policy.pauseForRoom());
            return put(DeclaredOptions.STREAMING_ROOM_TIMEOUT, policy.patienceForRoom());
        }

        /**
         * Encrypts all connections by TLS 1.3; peers without a certificate that {@code files} trust are refused, and so
         * are those that speak plain text. Keys {@code tls_certificate}, {@code tls_key}, {@code tls_trust},
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
         * Whether a node without {@link #tls} may listen on an address that other machines reach. Key
         * {@code allow_plaintext}, default false.
         */
        public Builder allowPlaintext(boolean allowed) {
            return put(DeclaredOptions.ALLOW_PLAINTEXT, allowed);
        }

        /** With one peer at once, in each direction. Key {@code streaming_sessions_per_peer}, default 64. */
        public Builder sessionsPerPeer(int sessions) {
            return put(DeclaredOptions.STREAMING_SESSIONS_PER_PEER, sessions);
        }

        /**
         * For which nodes a certificate speaks: with {@link #tls} a peer that shows another one is refused at either
         * end, whoever has signed it. By default by subject alternative names, {@code urn:sluice:node:} and the id;
         * those of key {@code tls_fingerprints} count in any case.
         */
        public Builder identities(NodeIdentities bound) {
            this.identities = bound;
            return this;
        }

        /**
         * What the database lets peers do: connect, fetch, offer a table. Everything by default, to whoever TLS lets
         * in.
         */
        public Builder authorizer(Authorizer access) {
            this.authorizer = access;
            return this;
        }

        /**
         * Receives each connection, plan and order, on the thread where it happens, which may serve connections: quick,
         * never waiting for a peer. What it throws is logged, and changes nothing. Default: the logger
         * {@code io.sluice.audit}, a line for each. Of what somebody without a certificate causes it receives a few a
         * minute, and the number of the others.
         */
        public Builder audit(Consumer<AuditEvent> listener) {
            this.audit = listener;
            return this;
        }

        /** Bytes; {@code docs/operations.md} says how it is divided. Key {@code streaming_memory}, default 512MiB. */
        public Builder memoryBytes(long bytes) {
            return put(DeclaredOptions.STREAMING_MEMORY, bytes);
        }

        /** Open at once for bytes that arrive. Key {@code stream_max_open_files}, default auto. */
        public Builder maxOpenFiles(int files) {
            return put(DeclaredOptions.STREAM_MAX_OPEN_FILES, Optional.of(files));
        }

        /** For tables of a plan that this node does not know yet. Key {@code streaming_schema_timeout}, default 30s. */
        public Builder schemaTimeout(Duration timeout) {
            return put(DeclaredOptions.STREAMING_SCHEMA_TIMEOUT, timeout);
        }

        /**
         * Who is notified of sessions, tables, waits, progress and results, on a thread of {@code executor}. Nothing
         * waits for the executor: one that rejects, drops or holds tasks loses notifications, and no more. Default:
         * nobody.
         */
        public Builder listener(StreamListener listener, Executor executor) {
            this.listening = new Listening(listener, executor);
            return this;
        }

        /**
         * What makes the threads of each kind, named and grouped as the embedder likes. A factory that returns null or
         * throws fails the start of a node; later, work waits for the threads that are there, and a session without one
         * to receive on fails, LIMIT. All have ended when {@link StreamingNode#close} returns, unless the database or a
         * disk holds one. Default: daemons, {@code sluice-<node>-<kind>-...}.
         */
        public Builder threads(Function<ThreadKind, ThreadFactory> factories) {
            this.threads = factories;
            return this;
        }

        /**
         * Takes files out of the operating system's memory that were streamed and that nobody will read soon, so that
         * they do not push out what the database reads: {@code posix_fadvise} with {@code DONTNEED}, for which Java has
         * no call. Called with each file of 1 MiB or more, when all of it is on the disk, on threads that may wait; a
         * failure is logged, and fails no transfer. By default the operating system decides.
         */
        public Builder pageCache(Consumer<Path> drop) {
            this.pageCache = drop::accept;
            return this;
        }

        /**
         * Checks what no option alone can say, and builds.
         *
         * @throws IllegalArgumentException if options contradict each other
         */
        public StreamOptions build() {
            return new StreamOptions(this).checked();
        }
    }
}
