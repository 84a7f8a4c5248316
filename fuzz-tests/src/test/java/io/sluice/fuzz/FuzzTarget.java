package io.sluice.fuzz;

import io.sluice.bench.mutation.MutationTargets;
import io.sluice.bench.tablet.TabletTargets;
import io.sluice.cassandra.receive.ReceiveTargets;
import io.sluice.cassandra.session.SessionTargets;
import io.sluice.cassandra.wire.WireTargets;
import io.sluice.harness.admin.AdminHttpTargets;
import io.sluice.harness.agent.AgentTargets;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.config.ConfigTargets;
import io.sluice.harness.plan.PlanTargets;
import io.sluice.harness.replace.JoinTargets;
import io.sluice.harness.store.StoreTargets;
import io.sluice.hook.HookTargets;
import io.sluice.netty.transport.TransportTargets;
import io.sluice.sstable.SSTableTargets;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.compression.CompressionTargets;
import io.sluice.sstable.data.DataTargets;
import io.sluice.sstable.index.IndexTargets;
import io.sluice.sstable.metadata.MetadataTargets;
import io.sluice.sstable.schema.SchemaException;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.install.InstallTargets;
import io.sluice.streaming.message.MessageTargets;
import io.sluice.streaming.transfer.partial.PartialTargets;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.ParameterException;

/**
 * Every parser of bytes from outside: from a peer, a disk, an operator. A parser that is missing here fails
 * {@code EveryParserIsFuzzedTest}.
 */
@SuppressWarnings("ImmutableEnumChecker") // parsers are methods, and the set is a copy
enum FuzzTarget {
    FRAME(MessageTargets::frame, StreamException.class),
    MESSAGE(MessageTargets::message, StreamException.class),

    STATISTICS(MetadataTargets::statistics, SSTableException.class),
    STATISTICS_COMPONENTS(MetadataTargets::statisticsComponents, SSTableException.class),
    FILTER(MetadataTargets::filter, SSTableException.class),
    TOC(MetadataTargets::toc, SSTableException.class),
    TRANSACTION_LOG(SSTableTargets::transactionLog, SSTableException.class),
    DIGEST(MetadataTargets::digest, SSTableException.class),
    COMPRESSION_INFO(CompressionTargets::info, SSTableException.class),
    CRC(CompressionTargets::checksums, SSTableException.class),
    INDEX(IndexTargets::index, SSTableException.class),
    INDEX_IN_PLACE(IndexTargets::indexInPlace, SSTableException.class),
    SUMMARY(IndexTargets::summary, SSTableException.class),
    PARTITIONS_OF_INDEX(IndexTargets::partitionsOfIndex, SSTableException.class),
    TRIES(IndexTargets::tries, SSTableException.class),
    SERIALIZATION_HEADER(DataTargets::header, SSTableException.class),
    ROWS(DataTargets::rows, SSTableException.class),
    MERGED_ROWS(DataTargets::mergedRows, SSTableException.class),
    SSTABLE(SSTableTargets::whole, SSTableException.class),
    DUMP(DataTargets::dump, SSTableException.class),
    CODEC_LZ4(CompressionTargets::lz4, SSTableException.class),
    CODEC_SNAPPY(CompressionTargets::snappy, SSTableException.class),
    CODEC_DEFLATE(CompressionTargets::deflate, SSTableException.class),
    CODEC_ZSTD(CompressionTargets::zstd, SSTableException.class),
    FILE_NAME(TextTargets::fileName),
    TYPE_NAME(TextTargets::typeName, SSTableException.class),
    CQL_SCHEMA(TextTargets::cql, SchemaException.class),

    CONNECTION(TransportTargets::connection, StreamException.class),
    ATTACHED_FILES(MessageTargets::attached, IllegalArgumentException.class),
    COMMIT_FILE(InstallTargets::commitFile, IOException.class),
    COMMIT_PART(InstallTargets::commitPart, IOException.class),
    VOLUME_ID(InstallTargets::volumeId, IOException.class),
    EPOCHS(InstallTargets::epochs, IOException.class),
    COMPLETE_PLANS(InstallTargets::completePlans, IOException.class),
    JOURNAL(InstallTargets::journal, IOException.class),
    PART_HEADER(PartialTargets::header, StreamException.class),
    PART_STREAM(PartialTargets::stream, StreamException.class),
    PART_STREAM_RAW(PartialTargets::rawStream, StreamException.class),
    TABLET_STREAM(TabletTargets::stream, StreamException.class, SSTableException.class),
    ROW_FRAMES(MutationTargets::frames, StreamException.class),
    ROW_OPENING(MutationTargets::opening, StreamException.class),
    ROWS_FIXED(MutationTargets::fixedFragments, StreamException.class, SSTableException.class),
    ROWS_DELTA(MutationTargets::deltaFragments, StreamException.class, SSTableException.class),
    ROWS_DIRECT(MutationTargets::direct, StreamException.class),
    ROWS_MEMTABLE(MutationTargets::memtable, StreamException.class),

    CASSANDRA_INITIATE(WireTargets::initiate, StreamException.class, EOFException.class),
    CASSANDRA_INITIATE_RAW(WireTargets::rawInitiate, StreamException.class, EOFException.class),
    CASSANDRA_ACCEPT(WireTargets::accept, StreamException.class, EOFException.class),
    CASSANDRA_MESSAGES(WireTargets::messages, StreamException.class, EOFException.class),
    CASSANDRA_SESSIONS(SessionTargets::sessions, StreamException.class, EOFException.class),
    CASSANDRA_BLOCKS(ReceiveTargets::blocks, StreamException.class, EOFException.class),
    CASSANDRA_CHUNKS(ReceiveTargets::chunks, StreamException.class, EOFException.class),

    SETTINGS_YAML(ConfigTargets::settings, ConfigException.class),
    SCENARIO_YAML(ConfigTargets::scenario, ConfigException.class),
    RING_YAML(PlanTargets::ring, ConfigException.class),
    ADMIN_ORDER(AdminTargets::order, IOException.class),
    ADMIN_ANSWER(AdminHttpTargets::answer, IOException.class),
    NODE_SUMMARY(AdminTargets::summary, IOException.class),
    AGENT_ORDER(AgentTargets::order, IOException.class),
    AGENT_OPERATION(AgentTargets::operation, IOException.class),
    CASSANDRA_YAML(AgentTargets::cassandraYaml, ConfigException.class),
    JOIN_RANGE(JoinTargets::range, IllegalArgumentException.class),
    HOOK_CLASS_FILE(HookTargets::classFile, IOException.class),
    TOKEN_RANGE(AdminTargets::range, ParameterException.class),
    ADDRESS(AdminTargets::address, IllegalArgumentException.class),
    STORE_LOG(StoreTargets::commitLog, SSTableException.class),
    STORE_REMOVALS(StoreTargets::removals, SSTableException.class, MalformedInputException.class),
    STORE_MUTATIONS(StoreTargets::mutations, SSTableException.class);

    /** Reads one input; what comes out of it does not matter. */
    @FunctionalInterface
    interface Parser {
        void parse(byte[] input) throws Exception;
    }

    static final Path CORPUS = Path.of("corpus");

    private static final long BYTES_FOR_EACH = 1024;

    /** The library makes four objects of a token of one character; files are limited to a MiB. */
    private static final long YAML_BYTES_FOR_EACH = 2048;

    private static final long FIXED_BYTES = 128 << 10;

    /** Whoever writes an SSTable has a buffer for each of its files. */
    private static final long WRITER_BYTES = 2 << 20;

    /** A line may name a user type of many fields: a schema has 65,536 types at most, those counted. */
    private static final long SCHEMA_BYTES = 64 << 20;

    /** A few characters may ask for many tokens: a ring has 262,144 at most. */
    private static final long RING_BYTES = 256 << 20;

    @SuppressWarnings("ImmutableEnumChecker") // references to static methods
    private final Parser parser;

    @SuppressWarnings("ImmutableEnumChecker") // a copy
    private final Set<Class<? extends Exception>> refusals;

    @SafeVarargs
    @SuppressWarnings("varargs") // none of it is generic at run time
    FuzzTarget(Parser parser, Class<? extends Exception>... refusals) {
        this.parser = parser;
        Set<Class<? extends Exception>> all = new HashSet<>();
        for (Class<? extends Exception> refusal : refusals) {
            all.add(refusal);
        }
        this.refusals = Set.copyOf(all);
    }

    Parser parser() {
        return parser;
    }

    /** The typed exceptions by which the parser refuses an input. */
    Set<Class<? extends Exception>> refusals() {
        return refusals;
    }

    /** Inputs longer than that are not made; kept ones may be. */
    int maxLength() {
        return switch (this) {
            case STATISTICS, STATISTICS_COMPONENTS, SSTABLE -> 8192;
            case FRAME, FILTER, TOC, DIGEST, CRC, FILE_NAME, TYPE_NAME, ADDRESS, TOKEN_RANGE, JOIN_RANGE -> 1024;
            default -> 4096;
        };
    }

    /** Where inputs are kept. */
    Path folder() {
        return CORPUS.resolve(name());
    }

    /** All that are kept. */
    List<Path> corpus() throws IOException {
        try (Stream<Path> inputs = Files.list(folder())) {
            return inputs.sorted().toList();
        }
    }

    /** What the parser may allocate for each byte that arrived: a few objects, each with its header. */
    long bytesForEach() {
        return switch (this) {
            case SETTINGS_YAML, SCENARIO_YAML, RING_YAML, CASSANDRA_YAML -> YAML_BYTES_FOR_EACH;
            default -> BYTES_FOR_EACH;
        };
    }

    /** What the parser may allocate, however short its input is: windows and buffers of fixed length. */
    long fixedBytes() {
        return switch (this) {
            case INDEX_IN_PLACE,
                    SSTABLE,
                    PART_STREAM,
                    PART_STREAM_RAW,
                    TABLET_STREAM,
                    ROWS_DIRECT,
                    ROWS_MEMTABLE,
                    CASSANDRA_BLOCKS -> WRITER_BYTES;
            case CQL_SCHEMA -> SCHEMA_BYTES;
            case RING_YAML -> RING_BYTES;
            default -> FIXED_BYTES;
        };
    }
}
