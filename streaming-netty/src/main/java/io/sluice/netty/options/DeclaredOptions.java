package io.sluice.netty.options;

import static io.sluice.netty.options.ValueType.BYTES;
import static io.sluice.netty.options.ValueType.FINGERPRINTS;
import static io.sluice.netty.options.ValueType.FLAG;
import static io.sluice.netty.options.ValueType.ID;
import static io.sluice.netty.options.ValueType.NAME;
import static io.sluice.netty.options.ValueType.PATH;
import static io.sluice.netty.options.ValueType.RATE;
import static io.sluice.netty.options.ValueType.TEXT;
import static io.sluice.netty.options.ValueType.WORD;
import static io.sluice.netty.options.ValueType.integer;
import static io.sluice.netty.options.ValueType.percent;
import static io.sluice.netty.options.ValueType.period;

import io.sluice.streaming.Limit;
import io.sluice.streaming.engine.send.SendingSessions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All settings of streaming. A new one is a constant here and its place in {@link #ALL}; the builder of options, the
 * YAML file, its comments and the table of the documentation follow. Long because each declaration explains itself.
 */
public final class DeclaredOptions {
    public static final DeclaredOption<String> CLUSTER_NAME =
            fixed("cluster_name", NAME, "sluice", "Name of the cluster; both ends of a connection must have the same.");

    public static final DeclaredOption<Optional<UUID>> CLUSTER_ID = fixed(
            "cluster_id",
            ID.orNone(),
            "none",
            "Id of the cluster, which never changes: a peer with another one is refused, also if its cluster has the"
                    + " same name. none matches every id.");

    public static final DeclaredOption<String> PARTITIONER = fixed(
            "partitioner",
            NAME,
            "Murmur3Partitioner",
            "What makes tokens of partition keys; both ends of a connection must have the same.");

    public static final DeclaredOption<Boolean> STREAM_ENTIRE_SSTABLES = fixed(
            "stream_entire_sstables",
            FLAG,
            "true",
            "Whether this node sends SSTables of which everything is wanted as files, by zero-copy; if not, as rows.");

    public static final DeclaredOption<Boolean> STREAM_SLICES = fixed(
            "stream_slices",
            FLAG,
            "true",
            "Whether this node sends parts of SSTables as slices, of which no row is decoded, where that is cheaper"
                    + " than rows.");

    public static final DeclaredOption<Optional<Integer>> STREAMING_CONNECTIONS_PER_HOST = fixed(
            "streaming_connections_per_host",
            integer(1, 32).orAuto(),
            "auto",
            "Data connections to each peer. auto begins with one and adds others, up to 8, as long as that makes bytes"
                    + " arrive faster.");

    public static final DeclaredOption<Duration> STREAMING_KEEP_ALIVE_PERIOD = fixed(
            "streaming_keep_alive_period",
            period("100ms", "24h"),
            "5s",
            "An end of a session that has sent nothing for this long sends a heartbeat.");

    public static final DeclaredOption<Optional<Duration>> STREAMING_SILENCE_TIMEOUT = fixed(
            "streaming_silence_timeout",
            period("100ms", "24h").orAuto(),
            "auto",
            "A peer that sends nothing for this long is lost. auto is six keep-alive periods. With more than 30s"
                    + " streaming_room_timeout should be longer, too: a source keeps the sessions of a node that was"
                    + " restarted until then.");

    public static final DeclaredOption<Duration> STREAMING_PREPARE_TIMEOUT = fixed(
            "streaming_prepare_timeout",
            period("1ms", "24h"),
            "2m",
            "How long a session waits for connections, offers and room without any progress.");

    public static final DeclaredOption<Duration> STREAMING_TRANSFER_TIMEOUT = fixed(
            "streaming_transfer_timeout",
            period("1ms", "24h"),
            "2m",
            "How long a session waits for bytes without any. The kernel gives a connection up after the same time.");

    public static final DeclaredOption<Duration> STREAMING_INSTALL_TIMEOUT = fixed(
            "streaming_install_timeout",
            period("1ms", "24h"),
            "10m",
            "How long a session waits for received tables to become live, or for a step of the install.");

    public static final DeclaredOption<Integer> STREAMING_RETRY_ATTEMPTS = fixed(
            "streaming_retry_attempts",
            integer(1, 10_000),
            "4",
            "Attempts of a session in a row that bring no byte, the first included, before another source is asked.");

    public static final DeclaredOption<Integer> STREAMING_RETRY_MAX_ATTEMPTS = fixed(
            "streaming_retry_max_attempts",
            integer(1, 10_000),
            "50",
            "Attempts of a session in all, whatever they bring; not fewer than streaming_retry_attempts.");

    public static final DeclaredOption<Duration> STREAMING_RETRY_FIRST_PAUSE = fixed(
            "streaming_retry_first_pause",
            period("0ms", "1h"),
            "500ms",
            "Pause before the second attempt; four times as long before each next one, give or take a quarter.");

    public static final DeclaredOption<Duration> STREAMING_RETRY_LONGEST_PAUSE =
            fixed("streaming_retry_longest_pause", period("0ms", "1h"), "10s", "No pause between attempts is longer.");

    public static final DeclaredOption<Duration> STREAMING_ROOM_PAUSE = fixed(
            "streaming_room_pause",
            period("0ms", "1h"),
            "5s",
            "Pause before a session looks again whether a full disk, or a full source, has room.");

    public static final DeclaredOption<Duration> STREAMING_ROOM_TIMEOUT = fixed(
            "streaming_room_timeout",
            period("0ms", "24h"),
            "1m",
            "How long a session waits for room on a full disk, or at a full source, without a byte.");

    public static final DeclaredOption<Duration> STREAMING_SCHEMA_TIMEOUT = fixed(
            "streaming_schema_timeout",
            period("0ms", "24h"),
            "30s",
            "How long a plan waits for a table that this node does not know yet.");

    public static final DeclaredOption<Long> STREAMING_MEMORY = fixed(
            "streaming_memory",
            ValueType.bytes("16MiB", "1024TiB"),
            "512MiB",
            "The most memory that streaming takes of this node; half of it is page cache. Sessions beyond it wait, or"
                    + " are refused and try again.");

    public static final DeclaredOption<Integer> STREAMING_SESSIONS_PER_PEER = fixed(
            "streaming_sessions_per_peer",
            integer(1, SendingSessions.MOST_SESSIONS),
            "64",
            "The most sessions with one peer at once, in each direction. What a peer begins beyond them is refused,"
                    + " code LIMIT; what this node would begin waits.");

    public static final DeclaredOption<Optional<Integer>> STREAM_MAX_OPEN_FILES = fixed(
            "stream_max_open_files",
            integer(1, 1_000_000).orAuto(),
            "auto",
            "The most files that are open at once for bytes that arrive; beyond it connections wait for each other."
                    + " auto is an eighth of what the process may have ('ulimit -n'), 64 to 1024. Besides, one is open"
                    + " for each connection that sends and each table that is being fetched, and a few for each thread"
                    + " of the disk.");

    public static final DeclaredOption<Long> MIN_FREE_SPACE_PER_DRIVE = fixed(
            "min_free_space_per_drive",
            BYTES,
            "256MiB",
            "Bytes of a volume that received data never takes, or the share staging_headroom if that is more.");

    public static final DeclaredOption<Integer> STAGING_HEADROOM = fixed(
            "staging_headroom",
            percent(0, 50),
            "1%",
            "Share of a volume that received data never takes, or min_free_space_per_drive if that is more.");

    public static final DeclaredOption<Integer> STAGING_RETAINED = fixed(
            "staging_retained",
            percent(0, 100),
            "10%",
            "Share of what a volume could give that received data of failed plans may take, retained for another"
                    + " attempt.");

    public static final DeclaredOption<Duration> STAGING_RETAINED_AGE = fixed(
            "staging_retained_age",
            period("0s", "365d"),
            "7d",
            "Age after which received data of a failed plan is removed.");

    public static final DeclaredOption<Integer> STREAMING_OBSOLETE_FILES = fixed(
            "streaming_obsolete_files",
            percent(0, 100),
            "10%",
            "Share of a volume that files may take which the database has replaced and which only streams from this"
                    + " node keep. Beyond it peers are refused, code LIMIT, and try again later.");

    public static final DeclaredOption<Optional<Long>> STREAMING_SOCKET_BUFFER_SIZE = fixed(
            "streaming_socket_buffer_size",
            ValueType.bytes("0B", "1GiB").orAuto(),
            "auto",
            "Send and receive buffers of data connections; 0B leaves them to the kernel. auto is 4MiB where the kernel"
                    + " allows that much, else 0B.");

    public static final DeclaredOption<Optional<String>> STREAMING_CONGESTION_CONTROL = fixed(
            "streaming_congestion_control",
            TEXT.only("the name of an algorithm, as cubic", name -> name.matches("[a-z0-9_-]{1,15}"))
                    .orAuto(),
            "auto",
            "The kernel's algorithm of congestion control for data that leaves. auto is the system's default, but cubic"
                    + " on loopback. Linux only.");

    /** The limits, each of which may change while the node runs. */
    public static final Map<Limit, DeclaredOption<Long>> LIMITS = limits();

    public static final DeclaredOption<List<UUID>> REMOTE_NODES = fixed(
            "remote_nodes",
            ID.listOrNone("UUIDs with commas between"),
            "none",
            "Ids of nodes in other data centres, for the limits of what leaves.");

    public static final DeclaredOption<List<String>> PEERS = fixed(
            "peers",
            WORD.listOrNone("host names or IP addresses with commas between"),
            "none",
            "Nodes that may connect: connections from there have room of their own before their handshake is complete,"
                    + " which no flood of other connections takes.");

    public static final DeclaredOption<Optional<Path>> TLS_CERTIFICATE = fixed(
            "tls_certificate",
            PATH.orNone(),
            "none",
            "Mutual TLS 1.3 for all connections between nodes: PEM file of this node's certificate. tls_certificate,"
                    + " tls_key and tls_trust come together; with none of them nodes speak plain text. There is no"
                    + " fallback.");

    public static final DeclaredOption<Optional<Path>> TLS_KEY =
            fixed("tls_key", PATH.orNone(), "none", "PEM file of its private key, PKCS#8, without a password.");

    public static final DeclaredOption<Optional<Path>> TLS_TRUST = fixed(
            "tls_trust", PATH.orNone(), "none", "PEM file of the authorities that may sign certificates of peers.");

    public static final DeclaredOption<Optional<Path>> TLS_REVOKED = fixed(
            "tls_revoked",
            PATH.orNone(),
            "none",
            "Revocation lists (CRLs, PEM) of the authorities in tls_trust; with such a file each authority needs a list"
                    + " that is up to date, or the certificates that it signed are refused. Certificates, authorities"
                    + " and lists are read again when they are written.");

    public static final DeclaredOption<Boolean> TLS_VERIFY_ENDPOINT = fixed(
            "tls_verify_endpoint",
            FLAG,
            "true",
            "Whether a node that this one connects to must have a certificate for its address.");

    public static final DeclaredOption<Map<String, UUID>> TLS_FINGERPRINTS = fixed(
            "tls_fingerprints",
            FINGERPRINTS,
            "none",
            "A certificate speaks for the node whose id it has as an alternative name, urn:sluice:node:ID, and for no"
                    + " other. For those without: SHA-256 fingerprint in hexadecimal, =, id of the node.");

    public static final DeclaredOption<Boolean> ALLOW_PLAINTEXT = fixed(
            "allow_plaintext",
            FLAG,
            "false",
            "Whether a node without TLS may listen on an address that other machines reach: they may then read along,"
                    + " and fetch any table. If not, it refuses to start.");

    public static final DeclaredOption<Integer> VIOLATIONS_BEFORE_HOLD = fixed(
            "violations_before_hold",
            integer(0, 100),
            "3",
            "Violations of the protocol within ten minutes after which a peer is put on hold; 0 for never. It is"
                    + " refused for a minute, then two, four and so on up to an hour, by its certificate or else its"
                    + " address.");

    /** Each of them, in the order in which they are shown. */
    public static final List<DeclaredOption<?>> ALL = Stream.of(
                    List.<DeclaredOption<?>>of(
                            CLUSTER_NAME,
                            CLUSTER_ID,
                            PARTITIONER,
                            STREAM_ENTIRE_SSTABLES,
                            STREAM_SLICES,
                            STREAMING_CONNECTIONS_PER_HOST,
                            STREAMING_MEMORY,
                            STREAMING_SESSIONS_PER_PEER,
                            STREAM_MAX_OPEN_FILES),
                    LIMITS.values(),
                    List.<DeclaredOption<?>>of(
                            REMOTE_NODES,
                            PEERS,
                            TLS_CERTIFICATE,
                            TLS_KEY,
                            TLS_TRUST,
                            TLS_REVOKED,
                            TLS_VERIFY_ENDPOINT,
                            TLS_FINGERPRINTS,
                            ALLOW_PLAINTEXT,
                            VIOLATIONS_BEFORE_HOLD),
                    List.<DeclaredOption<?>>of(
                            STREAMING_KEEP_ALIVE_PERIOD,
                            STREAMING_SILENCE_TIMEOUT,
                            STREAMING_PREPARE_TIMEOUT,
                            STREAMING_TRANSFER_TIMEOUT,
                            STREAMING_INSTALL_TIMEOUT,
                            STREAMING_SCHEMA_TIMEOUT,
                            STREAMING_RETRY_ATTEMPTS,
                            STREAMING_RETRY_MAX_ATTEMPTS,
                            STREAMING_RETRY_FIRST_PAUSE,
                            STREAMING_RETRY_LONGEST_PAUSE,
                            STREAMING_ROOM_PAUSE,
                            STREAMING_ROOM_TIMEOUT),
                    List.<DeclaredOption<?>>of(
                            MIN_FREE_SPACE_PER_DRIVE,
                            STAGING_HEADROOM,
                            STAGING_RETAINED,
                            STAGING_RETAINED_AGE,
                            STREAMING_OBSOLETE_FILES,
                            STREAMING_SOCKET_BUFFER_SIZE,
                            STREAMING_CONGESTION_CONTROL))
            .<DeclaredOption<?>>flatMap(Collection::stream)
            .toList();

    private static final Map<String, DeclaredOption<?>> BY_KEY = ALL.stream()
            .collect(Collectors.toMap(DeclaredOption::key, option -> option, (a, b) -> a, LinkedHashMap::new));

    private DeclaredOptions() {}

    /**
     * The option of a key.
     *
     * @throws IllegalArgumentException with the nearest key, if there is no such one
     */
    public static DeclaredOption<?> of(String key) {
        DeclaredOption<?> option = BY_KEY.get(key);
        if (option == null) {
            throw new IllegalArgumentException("unknown key '" + key + "' " + NearestKey.hint(key, BY_KEY.keySet()));
        }
        return option;
    }

    private static <T> DeclaredOption<T> fixed(String key, ValueType<T> type, String fallback, String help) {
        return new DeclaredOption<>(key, type, fallback, help, false);
    }

    private static Map<Limit, DeclaredOption<Long>> limits() {
        Map<Limit, DeclaredOption<Long>> options = new EnumMap<>(Limit.class);
        Arrays.stream(Limit.values())
                .forEach(limit -> options.put(limit, new DeclaredOption<>(limit.key(), RATE, "0", help(limit), true)));
        return Collections.unmodifiableMap(options);
    }

    private static String help(Limit limit) {
        return switch (limit) {
            case STREAM_THROUGHPUT_OUTBOUND ->
                "The most rows that leave (transfers that decode them), to all peers"
                        + " together. Several limits hold at once: the tightest counts.";
            case INTER_DC_STREAM_THROUGHPUT_OUTBOUND -> "Of these rows, the most that leave to other data centres.";
            case ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND ->
                "The most that leaves by zero-copy, whole SSTables and" + " slices, to all peers together.";
            case ENTIRE_SSTABLE_INTER_DC_STREAM_THROUGHPUT_OUTBOUND ->
                "Of this, the most that leaves to other data" + " centres.";
            case SESSION_STREAM_THROUGHPUT_OUTBOUND -> "The most that leaves in one session, to one peer.";
            case STREAM_THROUGHPUT_INBOUND -> "The most that arrives, of whatever kind.";
            case INTER_DC_STREAM_THROUGHPUT_INBOUND -> "Of this, the most that arrives from other data centres.";
            case SESSION_STREAM_THROUGHPUT_INBOUND -> "The most that arrives in one session.";
        };
    }
}
