package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.compression.Compressor;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.metadata.Toc;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.mode.ModeChoice;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.transfer.block.Pinned;
import io.sluice.streaming.transfer.block.WholeSSTables;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An SSTable that contradicts itself is refused, and by name: in its manifest before a byte of it is fetched, in its
 * files before it may become live. What a session says that contradicts what it has said: {@code HostileSourceTest}.
 */
class ContradictionsTest {
    private static final TableRef TABLE = new TableRef(new UUID(3, 3), "ks", "t");
    private static final ModeChoice WHOLE = new ModeChoice(TransferMode.WHOLE, "all of it is wanted");
    private static final WriterOptions LZ4 =
            WriterOptions.DEFAULTS.withCompression(CompressionParameters.of(Compressor.LZ4, 1 << 12));

    @TempDir
    Path temp;

    private SSTable sstable;
    private SSTableOffer offer;

    @BeforeEach
    void write_a_healthy_one() throws IOException {
        sstable = written("healthy", WriterOptions.DEFAULTS, Version.NB, 3);
        offer = offerOf(sstable);
    }

    private SSTable written(String name, WriterOptions options, Version version, int seed) throws IOException {
        Path folder = Files.createDirectories(temp.resolve(name));
        Descriptor descriptor = new DataSetWriter(new DataSet(seed, 500, 5, 40), version, options)
                .write(folder, 1)
                .get(0);
        return SSTable.open(folder, descriptor);
    }

    private static SSTableOffer offerOf(SSTable sstable) throws IOException {
        return WholeSSTables.offers(Pinned.of(TABLE, List.of(sstable)), TokenRanges.FULL, 0)
                .get(0);
    }

    /** A rule of manifests: what is wrong, and what the refusal says. */
    enum ManifestRule {
        TWICE("Index.db offered twice") {
            @Override
            void mutate(byte[] codes) {
                codes[1] = codes[2];
            }
        },
        NO_DATA("offered without Data.db") {
            @Override
            void mutate(byte[] codes) {
                codes[0] = SUMMARY;
            }
        },
        NO_STATISTICS("offered without Statistics.db") {
            @Override
            void mutate(byte[] codes) {
                codes[1] = SUMMARY;
            }
        },
        NO_INDEX("offered without Index.db") {
            @Override
            void mutate(byte[] codes) {
                codes[2] = SUMMARY;
            }
        },
        PART_OF_AN_SSTABLE("which is not a component of an SSTable") {
            @Override
            void mutate(byte[] codes) {
                codes[2] = PART;
            }
        };

        static final byte SUMMARY = 6;
        static final byte PART = 11;

        final String words;

        ManifestRule(String words) {
            this.words = words;
        }

        /** Changes the codes of the components, which are Data.db, Statistics.db, Index.db. */
        abstract void mutate(byte[] codes);
    }

    @ParameterizedTest
    @EnumSource(ManifestRule.class)
    void a_manifest_that_breaks_a_rule_is_refused_by_name(ManifestRule rule) {
        List<Component> kinds = List.of(Component.DATA, Component.STATISTICS, Component.INDEX);
        SSTableOffer three = new SSTableOffer(
                0,
                TABLE.id(),
                offer.source(),
                offer.first(),
                offer.last(),
                WHOLE,
                kinds.stream().map(kind -> offer.manifest(kind).orElseThrow()).toList());
        ByteBuffer encoded = MessageCodec.encode(new Message.PrepareSynAck(List.of(three), true));
        byte[] frame = new byte[encoded.remaining()];
        encoded.get(frame);
        int bodyEnd = frame.length - MessageCodec.TRAILER_LENGTH_BYTES;
        int length = 1 + Long.BYTES + Integer.BYTES; // of the manifest of one component, at the end of the body
        byte[] codes = new byte[kinds.size()];
        for (int i = 0; i < codes.length; i++) {
            codes[i] = frame[bodyEnd - (codes.length - i) * length];
        }
        rule.mutate(codes);
        for (int i = 0; i < codes.length; i++) {
            frame[bodyEnd - (codes.length - i) * length] = codes[i];
        }
        CRC32C crc = new CRC32C(); // as a hostile peer would
        crc.update(frame, MessageCodec.HEADER_LENGTH_BYTES, bodyEnd - MessageCodec.HEADER_LENGTH_BYTES);
        ByteBuffer.wrap(frame).putInt(bodyEnd, (int) crc.getValue());

        assertThatThrownBy(() -> MessageCodec.decode(ByteBuffer.wrap(frame)))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL))
                .hasMessageContaining(offer.source().toString())
                .hasMessageContaining(rule.words);
    }

    /** A change of files. */
    private interface Change {
        void to(ContradictionsTest test) throws IOException;
    }

    /** A rule of files: what is wrong, and what the refusal says. */
    private record FileRule(String name, String words, Change change) {
        @Override
        public String toString() {
            return name;
        }
    }

    private void compressed() throws IOException {
        sstable = written("compressed", LZ4, Version.NB, 3);
        offer = offerOf(sstable);
    }

    private void delete(Component component) throws IOException {
        Files.delete(sstable.path(component));
        TreeSet<Component> left = new TreeSet<>(sstable.components());
        left.remove(component);
        Files.delete(sstable.path(Component.TOC)); // the receiver writes its own, of what was offered
        ComponentOutput.write(sstable.path(Component.TOC), Toc.of(left).encode());
    }

    private void cut(Component component, double share) throws IOException {
        byte[] bytes = Files.readAllBytes(sstable.path(component));
        Files.write(sstable.path(component), Arrays.copyOf(bytes, (int) (bytes.length * share)));
    }

    private void takeFrom(SSTable other, Component component) throws IOException {
        Files.copy(other.path(component), sstable.path(component), StandardCopyOption.REPLACE_EXISTING);
    }

    static Stream<FileRule> fileRules() {
        return Stream.of(
                new FileRule("no data", "no Data.db", test -> test.delete(Component.DATA)),
                new FileRule("no index", "no Index.db", test -> test.delete(Component.INDEX)),
                new FileRule("no statistics", "no Statistics.db", test -> test.delete(Component.STATISTICS)),
                new FileRule("compressed, without compression info", "the partition at 0 does not have", test -> {
                    test.compressed();
                    test.delete(Component.COMPRESSION_INFO);
                }),
                new FileRule("uncompressed, with compression info", "Data.db", test -> {
                    SSTable twin = test.written("twin", LZ4, Version.NB, 3);
                    test.takeFrom(twin, Component.COMPRESSION_INFO);
                }),
                new FileRule("chunks beyond the end of the file", "CompressionInfo.db", test -> {
                    test.compressed();
                    test.cut(Component.DATA, 0.5);
                }),
                new FileRule("more chunks than compression info has numbers", "CompressionInfo.db", test -> {
                    test.compressed();
                    test.cut(Component.COMPRESSION_INFO, 0.9);
                }),
                new FileRule("an index that points beyond the data", "Data.db", test -> test.cut(Component.DATA, 0.5)),
                new FileRule("an index that ends in an entry", "Index.db", test -> {
                    byte[] bytes = Files.readAllBytes(test.sstable.path(Component.INDEX));
                    Files.write(test.sstable.path(Component.INDEX), Arrays.copyOf(bytes, bytes.length - 1));
                }),
                new FileRule(
                        "an index with more keys than bytes",
                        "Index.db",
                        test -> Files.write(
                                test.sstable.path(Component.INDEX),
                                new byte[] {0x7f, (byte) 0xff},
                                StandardOpenOption.APPEND)),
                new FileRule("an index of fewer partitions than the data", "the partition at", test -> {
                    test.sstable = test.written("oa", WriterOptions.DEFAULTS, Version.OA, 3);
                    test.offer = offerOf(test.sstable);
                    SSTable small = test.written("small", WriterOptions.DEFAULTS, Version.OA, 4);
                    test.takeFrom(small, Component.INDEX);
                }),
                new FileRule("an index of another table than the summary", "one of both files is damaged", test -> {
                    SSTable other = test.written("other", WriterOptions.DEFAULTS, Version.NB, 4);
                    test.takeFrom(other, Component.INDEX);
                }),
                new FileRule("a summary of another table", "one of both files is damaged", test -> {
                    SSTable other = test.written("other", WriterOptions.DEFAULTS, Version.NB, 4);
                    test.takeFrom(other, Component.SUMMARY);
                }),
                new FileRule("statistics of another table", "holds tokens", test -> {
                    test.sstable = test.written("oa", WriterOptions.DEFAULTS, Version.OA, 3);
                    test.offer = offerOf(test.sstable);
                    SSTable other = test.written("other", WriterOptions.DEFAULTS, Version.OA, 4);
                    test.takeFrom(other, Component.STATISTICS);
                }));
    }

    @ParameterizedTest
    @MethodSource("fileRules")
    void files_that_contradict_each_other_are_refused_by_name(FileRule rule) throws IOException {
        rule.change().to(this);

        assertThatThrownBy(() -> ReceivedSSTableCheck.opening()
                        .check(sstable.directory(), sstable.descriptor(), offer, TokenRanges.FULL))
                .isInstanceOfSatisfying(
                        StreamException.class,
                        e -> assertThat(e.code()).isIn(ErrorCode.CORRUPT_AT_SOURCE, ErrorCode.PROTOCOL))
                .hasMessageContaining(offer.source().toString())
                .hasMessageContaining(rule.words());
    }
}
