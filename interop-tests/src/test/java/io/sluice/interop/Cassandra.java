package io.sluice.interop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Spliterators;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.cassandra.config.CassandraRelevantProperties;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.cql3.statements.schema.AlterSchemaStatement;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.io.sstable.Descriptor;
import org.apache.cassandra.io.sstable.ISSTableScanner;
import org.apache.cassandra.io.sstable.IVerifier;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.sstable.format.big.BigTableReader;
import org.apache.cassandra.io.sstable.format.big.BigTableVerifier;
import org.apache.cassandra.io.sstable.format.bti.BtiTableReader;
import org.apache.cassandra.io.sstable.format.bti.BtiTableVerifier;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.TableMetadataRef;
import org.apache.cassandra.service.ClientState;
import org.apache.cassandra.tools.JsonTransformer;
import org.apache.cassandra.tools.Util;
import org.apache.cassandra.utils.OutputHandler;

/** As much of Cassandra as reading files needs: no sockets, no commit log. One in a process; not thread-safe. */
public final class Cassandra {
    private static final Pattern CREATE_TABLE =
            Pattern.compile("(?is)CREATE\\s+TABLE\\s+(?:IF\\s+NOT\\s+EXISTS\\s+)?\"?(\\w+)\"?\\.\"?(\\w+)\"?.*");
    private static final Pattern SCHEMA_STATEMENT = Pattern.compile("(?is)(CREATE|ALTER)\\s+(KEYSPACE|TABLE|TYPE).*");

    private final Path work;
    private final Map<Path, TableMetadata> tables = new HashMap<>();

    private Cassandra(Path work) {
        this.work = work;
    }

    /** Starts it, with its own files in {@code work}. */
    public static Cassandra start(Path work) throws IOException {
        Path yaml = work.resolve("cassandra.yaml");
        Files.writeString(yaml, """
                cluster_name: oracle
                num_tokens: 1
                initial_token: '-9223372036854775808'
                partitioner: org.apache.cassandra.dht.Murmur3Partitioner
                data_file_directories: ['%1$s/data']
                commitlog_directory: '%1$s/commitlog'
                saved_caches_directory: '%1$s/saved_caches'
                hints_directory: '%1$s/hints'
                cdc_raw_directory: '%1$s/cdc'
                commitlog_sync: periodic
                commitlog_sync_period: 10s
                endpoint_snitch: SimpleSnitch
                seed_provider:
                  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
                    parameters:
                      - seeds: '127.0.0.1:7000'
                listen_address: 127.0.0.1
                rpc_address: 127.0.0.1
                start_native_transport: false
                storage_compatibility_mode: NONE
                stream_throughput_outbound: 0MiB/s
                entire_sstable_stream_throughput_outbound: 0MiB/s
                """.formatted(work));
        System.setProperty("cassandra.config", yaml.toUri().toString());
        System.setProperty("cassandra.storagedir", work.toString());
        CassandraRelevantProperties.FORCE_LOAD_LOCAL_KEYSPACES.setBoolean(true);
        DatabaseDescriptor.toolInitialization();
        Keyspace.setInitialized();
        return new Cassandra(work);
    }

    /** The table that a schema file declares; made, with its types, when it is first asked for. */
    TableMetadata table(Path schema) throws IOException {
        TableMetadata known = tables.get(schema);
        if (known == null) {
            known = create(schema);
            tables.put(schema, known);
        }
        return known;
    }

    private static TableMetadata create(Path schema) throws IOException {
        TableMetadata table = null;
        for (String statement :
                Files.readString(schema).replaceAll("(?m)--.*$", "").split(";", -1)) {
            String cql = statement.strip();
            if (SCHEMA_STATEMENT.matcher(cql).matches()) {
                apply(cql);
            }
            Matcher created = CREATE_TABLE.matcher(cql);
            if (created.matches()) {
                table = Schema.instance.getTableMetadata(created.group(1), created.group(2));
            }
        }
        if (table == null) {
            throw new IOException(schema + ": no CREATE TABLE in it");
        }
        TableMetadata last = Schema.instance.getTableMetadata(table.keyspace, table.name); // ALTERs may follow
        return last == null ? table : last;
    }

    private static void apply(String cql) {
        var statement = QueryProcessor.parseStatement(cql).prepare(ClientState.forInternalCalls());
        Schema.instance.transform((AlterSchemaStatement) statement);
    }

    /**
     * Opens one SSTable, lets the extended verifier look at it, and dumps it as sstabledump does.
     *
     * @param data the Data.db; it and its siblings are only read
     * @return the dump, without the positions in files
     * @throws Exception whatever Cassandra throws if it does not accept it
     */
    String verifyAndDump(Path data, TableMetadata table) throws Exception {
        ColumnFamilyStore store = Keyspace.openWithoutSSTables(table.keyspace).getColumnFamilyStore(table.id);
        return verified(copy(data, table.keyspace, table.name + "-" + table.id.toHexString()), store, table, true);
    }

    /**
     * The same for a table of which nobody tells the schema: its header declares the columns, as for sstabledump.
     *
     * @param isDumped whether a dump is wanted; else the answer is empty
     */
    public String verifyAndDump(Path data, boolean isDumped) throws Exception {
        declareAny();
        Path copy = copy(data, "oracle", "any");
        String dump = verified(copy, any(), declared(copy), isDumped);
        MoreFiles.deleteRecursively(copy.getParent(), RecursiveDeleteOption.ALLOW_INSECURE);
        return dump;
    }

    private static void declareAny() {
        if (Schema.instance.getKeyspaceMetadata("oracle") == null) {
            apply("CREATE KEYSPACE oracle WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            apply("CREATE TABLE oracle.any (k blob PRIMARY KEY)");
        }
    }

    private static TableMetadata declared(Path data) throws Exception {
        return Util.metadataFromSSTable(Descriptor.fromFile(new File(data)));
    }

    private static ColumnFamilyStore any() {
        return Keyspace.openWithoutSSTables("oracle").getColumnFamilyStore("any");
    }

    /**
     * Looks keys up in one SSTable as a read of one partition does, by filter and index.
     *
     * @return those that are found
     */
    Set<ByteBuffer> found(Path data, Collection<ByteBuffer> keys) throws Exception {
        declareAny();
        Path copy = copy(data, "oracle", "any");
        SSTableReader reader = SSTableReader.open(
                any(),
                Descriptor.fromFile(new File(copy)),
                null,
                TableMetadataRef.forOfflineTools(declared(copy)),
                true,
                false);
        try {
            Set<ByteBuffer> found = new HashSet<>();
            for (ByteBuffer key : keys) {
                DecoratedKey decorated = reader.decorateKey(key);
                boolean isBetweenEnds =
                        decorated.compareTo(reader.getFirst()) >= 0 && decorated.compareTo(reader.getLast()) <= 0;
                if (isBetweenEnds
                        && reader.mayContainAssumingKeyIsInRange(decorated)
                        && reader.getPosition(decorated, SSTableReader.Operator.EQ) >= 0) {
                    found.add(key);
                }
            }
            return found;
        } finally {
            reader.selfRef().release();
            MoreFiles.deleteRecursively(copy.getParent(), RecursiveDeleteOption.ALLOW_INSECURE);
        }
    }

    /** The Data.db of a copy in a folder of Cassandra's. */
    private Path copy(Path data, String keyspace, String table) throws IOException {
        Path copy = Files.createTempDirectory(work, "copy").resolve(keyspace).resolve(table);
        Files.createDirectories(copy);
        String prefix = data.getFileName().toString().replace("Data.db", "");
        try (Stream<Path> siblings = Files.list(data.toAbsolutePath().getParent())) {
            for (Path file : siblings.toList()) {
                String name = file.getFileName().toString();
                // Of SSTables with SASI indexes 4.0 leaves a list without Data.db; for want of one the files are
                // listed.
                boolean isIncomplete =
                        name.endsWith("-TOC.txt") && !Files.readString(file).contains("Data.db");
                if (name.startsWith(prefix) && !isIncomplete) {
                    Files.copy(file, copy.resolve(file.getFileName()));
                }
            }
        }
        return copy.resolve(data.getFileName());
    }

    private static String verified(Path data, ColumnFamilyStore store, TableMetadata table, boolean isDumped)
            throws Exception {
        Descriptor descriptor = Descriptor.fromFile(new File(data));
        SSTableReader reader =
                SSTableReader.open(store, descriptor, null, TableMetadataRef.forOfflineTools(table), true, true);
        try {
            verify(reader, store);
            return isDumped ? dump(reader, table) : "";
        } finally {
            reader.selfRef().release();
        }
    }

    private static void verify(SSTableReader reader, ColumnFamilyStore store) {
        IVerifier.Options options = IVerifier.options()
                .invokeDiskFailurePolicy(false)
                .extendedVerification(true)
                .checkVersion(false)
                .mutateRepairStatus(false)
                .checkOwnsTokens(false)
                .tokenLookup(keyspace -> List.of())
                .build();
        try (IVerifier verifier = verifier(reader, store, options)) {
            verifier.verify();
        }
    }

    /** Made here, because a reader makes one only for a store that has the very columns of its header. */
    private static IVerifier verifier(SSTableReader reader, ColumnFamilyStore store, IVerifier.Options options) {
        OutputHandler output = new OutputHandler.LogOutput();
        return reader instanceof BtiTableReader tries
                ? new BtiTableVerifier(store, tries, output, true, options)
                : new BigTableVerifier(store, (BigTableReader) reader, output, true, options);
    }

    private static String dump(SSTableReader reader, TableMetadata table) throws Exception {
        if (table.isCompactTable()) {
            return plainDump(reader, table);
        }
        var out = new ByteArrayOutputStream();
        try (ISSTableScanner scanner = reader.getScanner()) {
            var partitions = StreamSupport.stream(Spliterators.spliteratorUnknownSize(scanner, 0), false);
            JsonTransformer.toJson(scanner, partitions, true, table, out);
        } catch (UncheckedIOException e) {
            throw new IOException(e.getMessage(), e);
        }
        return withoutPositions(out.toString(StandardCharsets.UTF_8));
    }

    /** Where things lie in a file is no content; the kind of table is only in some of Cassandra's dumps. */
    public static String withoutPositions(String dump) {
        return dump.replaceAll(",\\s*\"position\" ?: ?\\d+", "").replaceAll("\"table kind\" ?: ?\"\\w+\",", "");
    }

    /** A dump as values, whatever its white space. */
    public static JsonNode json(String dump) throws IOException {
        return new ObjectMapper().readTree(dump);
    }

    /** For tables with null clusterings, of which Cassandra cannot make JSON. */
    private static String plainDump(SSTableReader reader, TableMetadata table) {
        StringBuilder out = new StringBuilder();
        try (ISSTableScanner scanner = reader.getScanner()) {
            while (scanner.hasNext()) {
                try (UnfilteredRowIterator partition = scanner.next()) {
                    out.append(partition.partitionKey()).append(partition.partitionLevelDeletion());
                    out.append(partition.staticRow().toString(table, true)).append('\n');
                    partition.forEachRemaining(
                            item -> out.append(item.toString(table, true)).append('\n'));
                }
            }
        }
        return out.toString();
    }
}
