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
 * All settings of streaming. A new one needs a constant here and a place in {@link #ALL}; the builder, the YAML file,
 * its comments and the table in the documentation are derived from it. Long because each declaration explains itself.
 */
public final class DeclaredOptions {
    public static final DeclaredOption<String> CLUSTER_NAME =
            fixed("cluster_name", NAME, "sluice", "Name of the cluster; both ends of a connection must have the same.");

    public static final DeclaredOption<Optional<UUID>> CLUSTER_ID = fixed(
            "cluster_id",
            ID.orNone(),
            "none",
            "Immutable id of the cluster: a peer with another id is refused, even if its cluster has the"
                    + " same name. none matches every id.");

    public static final DeclaredOption<String> PARTITIONER = fixed(
            "partitioner",
            NAME,
            "Murmur3Partitioner",
            "The partitioner, which maps partition keys to tokens; both ends of a connection must have the" + " same.");

    public static final DeclaredOption<Boolean> STREAM_ENTIRE_SSTABLES = fixed(
            "stream_entire_sstables",
            FLAG,
            "true",
            "Whether this node sends entire SSTables as files, by zero-copy, if the receiver wants all of"
                    + " them; otherwise it sends rows.");

    public static final DeclaredOption<Boolean> STREAM_SLICES = fixed(
            "stream_slices",
            FLAG,
            "true",
            "Whether this node sends parts of SSTables as slices, without decoding rows, if that is cheaper"
                    + " than sending rows.");

    public static final DeclaredOption<Optional<Integer>> STREAMING_CONNECTIONS_PER_HOST = fixed(
            "streaming_connections_per_host",
            integer(1, 32).orAuto(),
            "auto",
            "Data connections to each peer. auto starts with one, opens a second if 64 MiB or more are missing, and"
                    + " adds others, up to 8, as long as the throughput grows. If this node serves clients meanwhile,"
                    + " it adds them to a peer for at most half of its processors.");

    public static final DeclaredOption<Integer> STREAMING_DUTY_BESIDE_CLIENTS = fixed(
            "streaming_duty_beside_clients",
            percent(10, 100),
            "60%",
            "Share of its time that a data connection works on received bytes if this node serves clients"
                    + " meanwhile: in all plans but those in which it joins or is rebuilt. Then it rests, so that requests"
                    + " find a processor and the disk free. 100% is full speed.");

    public static final DeclaredOption<Duration> STREAMING_KEEP_ALIVE_PERIOD = fixed(
            "streaming_keep_alive_period",
            period("100ms", "24h"),
            "5s",
            "Each end of a session sends a heartbeat if it sent nothing else for this long.");

    public static final DeclaredOption<Optional<Duration>> STREAMING_SILENCE_TIMEOUT = fixed(
            "streaming_silence_timeout",
            period("100ms", "24h").orAuto(),
            "auto",
            "A peer that sends nothing for this long is lost. auto is six keep-alive periods. If it is more"
                    + " than 30s, streaming_room_timeout should be longer, too: until then a source keeps the previous"
                    + " sessions of a node that restarted.");

    public static final DeclaredOption<Duration> STREAMING_PREPARE_TIMEOUT = fixed(
            "streaming_prepare_timeout",
            period("1ms", "24h"),
            "2m",
            "How long a session waits for connections, offers and free space without progress.");

    public static final DeclaredOption<Duration> STREAMING_TRANSFER_TIMEOUT = fixed(
            "streaming_transfer_timeout",
            period("1ms", "24h"),
            "2m",
            "How long a session waits for bytes without progress. The kernel closes an unresponsive"
                    + " connection after the same time.");

    public static final DeclaredOption<Duration> STREAMING_INSTALL_TIMEOUT = fixed(
            "streaming_install_timeout",
            period("1ms", "24h"),
            "10m",
            "How long a session waits for received tables to become live, or for a step of the install.");

    public static final DeclaredOption<Integer> STREAMING_RETRY_ATTEMPTS = fixed(
            "streaming_retry_attempts",
            integer(1, 10_000),
            "4",
            "Consecutive attempts of a session that transfer no byte, the first included, before the plan"
                    + " asks another source.");

    public static final DeclaredOption<Integer> STREAMING_RETRY_MAX_ATTEMPTS = fixed(
            "streaming_retry_max_attempts",
            integer(1, 10_000),
            "50",
            "Attempts of a session in total; not fewer than streaming_retry_attempts.");

    public static final DeclaredOption<Duration> STREAMING_RETRY_FIRST_PAUSE = fixed(
            "streaming_retry_first_pause",
            period("0ms", "1h"),
            "500ms",
            "Pause before the second attempt; each further pause is four times as long, plus or minus a" + " quarter.");

    public static final DeclaredOption<Duration> STREAMING_RETRY_LONGEST_PAUSE =
            fixed("streaming_retry_longest_pause", period("0ms", "1h"), "10s", "Maximum pause between attempts.");

    public static final DeclaredOption<Duration> STREAMING_ROOM_PAUSE = fixed(
            "streaming_room_pause",
            period("0ms", "1h"),
            "5s",
            "Pause before a session checks again whether a full disk or a busy source has room.");

    public static final DeclaredOption<Duration> STREAMING_ROOM_TIMEOUT = fixed(
            "streaming_room_timeout",
            period("0ms", "24h"),
            "1m",
            "How long a session waits for a full disk or a busy source without a byte.");

    public static final DeclaredOption<Duration> STREAMING_SCHEMA_TIMEOUT = fixed(
            "streaming_schema_timeout",
            period("0ms", "24h"),
            "30s",
            "How long a plan waits for a table that this node does not know yet.");

    public static final DeclaredOption<Long> STREAMING_MEMORY = fixed(
            "streaming_memory",
            ValueType.bytes("16MiB", "1024TiB"),
            "512MiB",
            "Maximum memory for streaming on this node; half of it is page cache. Sessions that exceed it"
                    + " wait, or are refused and retried.");

    public static final DeclaredOption<Integer> STREAMING_SESSIONS_PER_PEER = fixed(
            "streaming_sessions_per_peer",
            integer(1, SendingSessions.MOST_SESSIONS),
            "64",
            "Maximum number of concurrent sessions with one peer, in each direction. Further sessions of the"
                    + " peer are refused with LIMIT; further sessions of this node wait.");

    public static final DeclaredOption<Optional<Integer>> STREAM_MAX_OPEN_FILES = fixed(
            "stream_max_open_files",
            integer(1, 1_000_000).orAuto(),
            "auto",
            "Maximum number of files open at once for received bytes; beyond it connections wait for each"
                    + " other. auto is an eighth of the limit of the process ('ulimit -n'), 64 to 1024. In addition one"
                    + " file is open for each sending connection and each table being fetched, and a few for each disk"
                    + " thread.");

    public static final DeclaredOption<Long> MIN_FREE_SPACE_PER_DRIVE = fixed(
            "min_free_space_per_drive",
            BYTES,
            "256MiB",
            "Free bytes of a volume that streaming leaves to the database, or staging_headroom if that is" + " more.");

    public static final DeclaredOption<Integer> STAGING_HEADROOM = fixed(
            "staging_headroom",
            percent(0, 50),
            "1%",
            "Free share of a volume that streaming leaves to the database, or min_free_space_per_drive if"
                    + " that is more.");

    public static final DeclaredOption<Integer> STAGING_RETAINED = fixed(
            "staging_retained",
            percent(0, 100),
            "10%",
            "Share of the usable space of a volume that received data of failed plans may occupy while it is"
                    + " retained for another attempt. The newest may occupy more. All of it gives way to plans that need the space.");

    public static final DeclaredOption<Duration> STAGING_RETAINED_AGE = fixed(
            "staging_retained_age",
            period("0s", "365d"),
            "7d",
            "Age after which received data of a failed plan is removed.");

    public static final DeclaredOption<Integer> STREAMING_OBSOLETE_FILES = fixed(
            "streaming_obsolete_files",
            percent(0, 100),
            "10%",
            "Share of a volume that obsolete files may occupy, which only streams from this node keep on the"
                    + " disk. Beyond it peers are refused with LIMIT, and retry later.");

    public static final DeclaredOption<Optional<Long>> STREAMING_SOCKET_BUFFER_SIZE = fixed(
            "streaming_socket_buffer_size",
            ValueType.bytes("0B", "1GiB").orAuto(),
            "auto",
            "Size of the send and receive buffers of data connections; 0B leaves it to the kernel. auto is"
                    + " 4MiB if the kernel allows that, otherwise 0B.");

    public static final DeclaredOption<Optional<String>> STREAMING_CONGESTION_CONTROL = fixed(
            "streaming_congestion_control",
            TEXT.only("the name of an algorithm, as cubic", name -> name.matches("[a-z0-9_-]{1,15}"))
                    .orAuto(),
            "auto",
            "Congestion control algorithm of the kernel for sent data. auto is the system's default, but"
                    + " cubic on loopback. Linux only.");

    /** The limits, each of which may change while the node runs. */
    public static final Map<Limit, DeclaredOption<Long>> LIMITS = limits();

    public static final DeclaredOption<List<UUID>> REMOTE_NODES = fixed(
            "remote_nodes",
            ID.listOrNone("UUIDs with commas between"),
            "none",
            "Ids of nodes in other data centres, for the outbound limits between data centres.");

    public static final DeclaredOption<List<String>> PEERS = fixed(
            "peers",
            WORD.listOrNone("host names or IP addresses with commas between"),
            "none",
            "Nodes that may connect: their pre-handshake connections have a quota of their own, so that a"
                    + " flood of other connections cannot displace them.");

    public static final DeclaredOption<Optional<Path>> TLS_CERTIFICATE = fixed(
            "tls_certificate",
            PATH.orNone(),
            "none",
            "Mutual TLS 1.3 for all connections between nodes: PEM file of this node's certificate. Set"
                    + " tls_certificate, tls_key and tls_trust together; without them connections are plain text. There"
                    + " is no fallback.");

    public static final DeclaredOption<Optional<Path>> TLS_KEY =
            fixed("tls_key", PATH.orNone(), "none", "PEM file of its private key, PKCS#8, without a password.");

    public static final DeclaredOption<Optional<Path>> TLS_TRUST = fixed(
            "tls_trust", PATH.orNone(), "none", "PEM file of the authorities that may sign certificates of peers.");

    public static final DeclaredOption<Optional<Path>> TLS_REVOKED = fixed(
            "tls_revoked",
            PATH.orNone(),
            "none",
            "Revocation lists (CRLs, PEM) of the authorities in tls_trust. With this file each authority"
                    + " needs a current list, or its certificates are refused. The node reloads certificates,"
                    + " authorities and lists when the files change.");

    public static final DeclaredOption<Boolean> TLS_VERIFY_ENDPOINT = fixed(
            "tls_verify_endpoint",
            FLAG,
            "true",
            "Whether the certificate of a node that this node connects to must name its address.");

    public static final DeclaredOption<Map<String, UUID>> TLS_FINGERPRINTS = fixed(
            "tls_fingerprints",
            FINGERPRINTS,
            "none",
            "Node ids of certificates that do not name their node as a subject alternative name,"
                    + " urn:sluice:node:ID: SHA-256 fingerprint in hexadecimal, =, id of the node.");

    public static final DeclaredOption<Boolean> ALLOW_PLAINTEXT = fixed(
            "allow_plaintext",
            FLAG,
            "false",
            "Whether a node without TLS may listen on an address that other machines can reach. They can"
                    + " then read all traffic and fetch any table. If false, such a node does not start.");

    public static final DeclaredOption<Integer> VIOLATIONS_BEFORE_HOLD = fixed(
            "violations_before_hold",
            integer(0, 100),
            "3",
            "Protocol violations within ten minutes after which a peer is put on hold; 0 for never. The node"
                    + " refuses its certificate, or without TLS its address, for one minute, then two, four and so on"
                    + " up to an hour.");

    /** All options, in the order in which they are listed. */
    public static final List<DeclaredOption<?>> ALL = Stream.of(
                    List.<DeclaredOption<?>>of(
                            CLUSTER_NAME,
                            CLUSTER_ID,
                            PARTITIONER,
                            STREAM_ENTIRE_SSTABLES,
                            STREAM_SLICES,
                            STREAMING_CONNECTIONS_PER_HOST,
                            STREAMING_DUTY_BESIDE_CLIENTS,
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

    /**
     * The new name of each key that was renamed: by a release of Sluice (none so far), or by Cassandra 4.1, whose names
     * these options have.
     */
    static final Map<String, String> RENAMED = Map.of(
            "stream_throughput_outbound_megabits_per_sec", "stream_throughput_outbound",
            "inter_dc_stream_throughput_outbound_megabits_per_sec", "inter_dc_stream_throughput_outbound",
            "streaming_keep_alive_period_in_secs", "streaming_keep_alive_period",
            "min_free_space_per_drive_in_mb", "min_free_space_per_drive");

    private static final Map<String, DeclaredOption<?>> BY_KEY = ALL.stream()
            .collect(Collectors.toMap(DeclaredOption::key, option -> option, (a, b) -> a, LinkedHashMap::new));

    private DeclaredOptions() {}

    /**
     * The option of a key.
     *
     * @throws IllegalArgumentException if the key is unknown; the message names the nearest one
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
                "Maximum rate of rows sent (transfers that decode them) to all peers together. Several limits"
                        + " can apply at once; the lowest one decides.";
            case INTER_DC_STREAM_THROUGHPUT_OUTBOUND -> "Maximum rate of these rows to other data centres.";
            case ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND ->
                "Maximum rate of zero-copy transfers, entire SSTables and slices, to all peers together.";
            case ENTIRE_SSTABLE_INTER_DC_STREAM_THROUGHPUT_OUTBOUND ->
                "Maximum rate of these transfers to other data centres.";
            case SESSION_STREAM_THROUGHPUT_OUTBOUND -> "Maximum rate sent in one session, to one peer.";
            case STREAM_THROUGHPUT_INBOUND -> "Maximum rate received, in all modes.";
            case INTER_DC_STREAM_THROUGHPUT_INBOUND -> "Maximum rate received from other data centres.";
            case SESSION_STREAM_THROUGHPUT_INBOUND -> "Maximum rate received in one session.";
        };
    }
}
