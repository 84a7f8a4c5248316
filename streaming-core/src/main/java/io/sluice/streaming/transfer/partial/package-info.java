/**
 * Transfers a part of an SSTable as rows: the source sends its stored chunks unchanged, by sendfile; the receiver
 * decodes every row and writes a new SSTable.
 *
 * <pre>
 * stream := header, batch*                         big-endian; uvint as in SSTables
 * header := u32 0x534c5032, i32 length (1 .. 16 MiB), body, u32 CRC-32 of the body
 * body   := u16 length, version ("nb", "oa", "da") | uvint length, serialization header as in Statistics.db
 *           u8 compressed; if 1: utf compressor, uvint options, (utf name, utf value)*, i32 max compressed length
 *           i32 chunk length, uvint data length, f64 filter chance, i32 index interval
 *           i32 level (0 .. 20), i64 repaired at (ms, 0: not), u8 flags (1: transient, 2: pending repair); if 2: 16 bytes, its id
 *           uvint sections, (uvint bytes after the end of the one before, uvint bytes)*
 * batch  := i32 chunks (1 .. 4096), u32 for each, u32 CRC-32 of the batch so far, the chunks as Data.db stores them
 *           u32 of a chunk: if compressed its stored length with its CRC, else the CRC-32 of its bytes
 * </pre>
 *
 * The batches contain, in order, each chunk of a section once; a batch does not span an unneeded chunk. The first and
 * the last chunk of a section may contain bytes of neighbouring partitions, which are ignored.
 */
@NullMarked
package io.sluice.streaming.transfer.partial;

import org.jspecify.annotations.NullMarked;
