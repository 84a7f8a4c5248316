/**
 * The messages of the Sluice dialect, version 3, and their bytes. No I/O.
 *
 * <p>All numbers are big-endian. Every message is one frame; the bytes of an extent follow the frame of their
 * {@code Stream} message raw.
 *
 * <pre>
 * frame   offset  size  field                          limits
 *              0     2  magic, 0x534C ("SL")
 *              2     1  version of the protocol        3
 *              3     1  type
 *              4     4  length n of the body           0 to 1 MiB
 *              8     4  CRC32C of bytes 0 to 7         checked before the length is used
 *             12     n  body
 *         12 + n     4  CRC32C of the body             checked before the body is read
 *
 * type  message        body
 *    1  Hello          string cluster, uuid cluster (0: not said), string partitioner, uuid sender, uuid target,
 *                      u8 role (0 control, 1 data, 2 query), uuid plan, i32 session, i32 attempt (each to 65,535);
 *                      data: i32 connection (to 65,535), others, in its place: u16 0, u8 lowest version, u8 highest version (0, 0: 3, 3)
 *    2  Welcome        uuid node, u8 lowest version, u8 highest version (0, 0: 3, 3), 48 bits of features
 *    3  SpansQuery     i32 count (to 1,000), each: uuid table, ranges
 *    4  Spans          u8 last page, i32 count (to 1,000), each: uuid table, i32 count (to 30,000), each: i64 first token,
 *                      i64 last token, i64 bytes
 *    5  StreamInit     u16 features of the receiver (bit 0: it takes attached files, bit 1: it builds indexes, bit 2: it
 *                      fetches before the last page of offers; others mean nothing), u16 operation, i64 bytes that it has room for (2^63 - 1: not said)
 *    6  PrepareSyn     u8 last page, i32 count (to 1,000), each: uuid table, i64 digest of its schema, ranges
 *    7  PrepareSynAck  u8 last page (0 no, 1 yes, 2 no, and what is offered may be fetched already), i32 count (to 1,000),
 *                      each offer: i32 number, uuid table, string descriptor,
 *                      i64 first token, i64 last token, u8 mode, string why, u8 count, each: u8 component, i64 length,
 *                      i32 CRC32
 *    8  PrepareAck     -
 *    9  Fetch          i32 count (to 10,000), each extent: i32 offer, u8 component, i64 offset, i32 length
 *   10  Stream         one extent; then its bytes, outside of any frame
 *   11  Received       i32 offer
 *   12  Installed      uuid table
 *   13  Complete       -
 *   14  SessionFailed  i32 code, string reason
 *   15  KeepAlive      string stage, i32 seconds in it, i64 bytes verified, i64 bytes durable, i32 queued, i64 progress
 *   16  TableRefused   uuid table, i32 code, string reason
 *   17  Released       uuid table, i32 code, string reason
 *   18  CheckFile      i32 offer, u8 component, i32 length of extents (512 B to 64 MiB)
 *   19  FileSums       i32 offer, u8 component, i32 first extent, u8 last page, i32 count (to 200,000), each: i32 CRC32
 *
 * string  u16 length (to 1,024), UTF-8       uuid  16 bytes       ranges  i32 count (to 30,000), each: i64 start, i64 end
 * component  1 Statistics, 2 CompressionInfo, 3 CRC, 4 Digest, 5 Filter, 6 Summary, 7 Index, 8 Partitions, 9 Rows, 10 Data,
 *            11 Part: a part of an SSTable as it travels if its rows are decoded at the receiver, 12 Attached: files beside
 *            an SSTable, {@link io.sluice.streaming.message.AttachedFiles}
 * mode       0 whole SSTable, 1 slice, 2 rows
 * </pre>
 */
@NullMarked
package io.sluice.streaming.message;

import org.jspecify.annotations.NullMarked;
