/**
 * Data.db as it is stored: plain with checksums beside it, or compressed in chunks.
 *
 * <pre>
 * CompressionInfo.db, big-endian
 * utf   compressor: simple class name (LZ4Compressor, SnappyCompressor, DeflateCompressor, ZstdCompressor, NoopCompressor)
 * i32   number of options; each utf key, utf value
 * i32   chunk length L: power of two, at most 64 MiB
 * i32   max compressed length M: 2^31 - 1, or at most L
 * i64   data length, uncompressed
 * i32   number of chunks n = ceil(data length / L)
 * n i64 position of each chunk in Data.db
 *
 * Data.db, compressed: per chunk
 * stored bytes, then i32 CRC-32 of them. Stored length = next position (or file length) - own position - 4.
 * stored length &gt;= M: the plain bytes, the last chunk padded with zeros to M; else the compressed form of L bytes (the
 * last chunk: of what is left). LZ4: i32 little-endian plain length, then one block. Snappy: one raw block. Deflate: one
 * zlib stream. Zstd: one frame with checksum. Noop: plain.
 *
 * Data.db, plain: the bytes. CRC.db beside it, big-endian
 * i32   chunk length (65536)
 * i32   CRC-32 of each chunk of Data.db, the last one shorter
 * </pre>
 */
@NullMarked
package io.sluice.sstable.compression;

import org.jspecify.annotations.NullMarked;
