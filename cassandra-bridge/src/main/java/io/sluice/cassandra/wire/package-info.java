/**
 * The bytes that Cassandra nodes exchange when they stream SSTables, messaging versions 12 and 13: the same in both.
 * Big-endian, no padding, no length in front of a message: who cannot read one cannot find the next.
 *
 * <pre>
 * utf     u16 length, modified UTF-8            addr    i8 length (6 or 18), IPv4 or IPv6 address, u16 port
 * uuid    16 bytes                              vint    uvint as in SSTables
 * vbytes  vint length, bytes                    token   i32 length (8), i64
 *
 * Initiate      i32 0xCA552DFA, i32 flags (bit 3 streaming, 8-15 and 16-23 lowest version, 24-31 highest), addr, crc
 * Accept        i32 highest version, i32 version to use, crc
 * crc           CRC-32 of FA 2D 55 CA and the bytes of the message before it
 *
 * Messages      i8 type, then
 * 10 STREAM_INIT     addr from, i32 session index, uuid plan (version 1), utf operation,
 *                    bool [uuid pending repair], i32 preview kind
 *  1 PREPARE_SYN     i32 n, n requests; i32 m, m summaries
 *  8 PREPARE_SYNACK  i32 m, m summaries
 *  9 PREPARE_ACK
 *  2 STREAM          header below, then the file bytes
 *  3 RECEIVED        uuid table, i32 sequence
 *  5 COMPLETE     6 SESSION_FAILED     7 KEEP_ALIVE
 *
 * request       utf keyspace, i32 t, addr, i32 r, r ranges, i32 s, s transient ranges, t times utf table
 * range         token left (excluded), token right (included)
 * summary       uuid table, i32 files, i64 bytes; files counts components of whole SSTables, 1 for a part of one
 *
 * STREAM        uuid table, addr sender, uuid plan, bool sent by follower, i32 session index, i32 sequence,
 *               i64 repaired at, bool [uuid pending repair],
 *               utf version, utf format, i64 estimated keys, i32 n, n times (i64 start, i64 end), compression,
 *               i32 level, serialization header (as in Statistics.db, without CRC), uuid table, bool whole,
 *               [vint n, n times (utf component, vint length); vbytes first key]
 * compression   i32 n, -1 for none; n times (i64 offset, i32 length without CRC); utf compressor, i32 o,
 *               o times (utf option, utf value), i32 chunk length, i32 max compressed length
 *
 * File bytes    whole: the components one after the other, as the manifest lists them
 *               part, compressed: the listed chunks, each with its CRC-32
 *               part, plain: pieces of at most 64 KiB, each i32 compressed length, i32 plain length, LZ4 block
 * </pre>
 *
 * Limits are those of {@link io.sluice.cassandra.wire.WireInput} and {@link io.sluice.cassandra.wire.MessageReader}:
 * nothing is allocated for a count before the bytes for it have arrived.
 */
@NullMarked
package io.sluice.cassandra.wire;

import org.jspecify.annotations.NullMarked;
