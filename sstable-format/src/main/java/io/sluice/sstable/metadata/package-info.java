/**
 * Metadata of an SSTable: Statistics.db and Filter.db.
 *
 * <pre>
 * Statistics.db, big-endian                              limits
 * i32  number of components c                            1..4
 * i32  CRC-32 of those 4 bytes
 * c *  i32 type, i32 offset in file                      types ascend; components adjoin and fill the file
 * i32  CRC-32 of the count and of this table together, without the CRC between them
 * c *  component, then i32 CRC-32 of it
 *
 * type 0 VALIDATION  utf partitioner, f64 filter chance
 * type 1 COMPACTION  i32 length, sketch of the keys; may be missing; kept as bytes
 * type 2 STATS       below
 * type 3 HEADER      serialization header, kept as bytes (see package data)
 *
 * STATS                         nb                                oa, da
 * partition lengths, cells      twice: i32 b, b * (i64 limit, i64 count); pair 0 repeats the first limit
 * commit log upper bound        i64 segment, i32 position
 * timestamps, least greatest    i64 i64
 * local deletion times          i32 i32                           u32 u32
 * TTLs                          i32 i32
 * compression ratio             f64
 * drop times                    i32 bins, i32 n,
 *                               n * (f64 second, i64 count)       n * (i64 second, i32 count)
 * level, repaired at            i32, i64 ms
 * clusterings covered           i32 n, n short-bytes; twice       uvint n, n vint-bytes type; bound, bound:
 *                                                                 u8 kind, u16 values, values as in rows
 * legacy counter shards         u8
 * cells, rows                   i64 i64
 * commit log lower bound        i64 i32
 * commit log intervals          i32 n, n * (i64 i32 i64 i32)
 * pending repair                u8 0, or u8 1 and 16 bytes
 * transient                     u8
 * originating host              u8 0, or u8 1 and 16 bytes
 * partition deletions           -                                 u8
 * first key, last key           -                                 vint-bytes twice
 * token space coverage          -                                 f64
 * What follows the last field is ignored: 5.0 leaves padding there.
 *
 * Filter.db, big-endian: i32 hashes k, i32 words w, 8w bytes; bit i is bit (i mod 8) of byte (i / 8).
 * A key with murmur words h1, h2 has the bits |(h2 + j * h1) rem 64w| for j = 0..k-1. An empty file: every key may be there.
 * </pre>
 */
@NullMarked
package io.sluice.sstable.metadata;

import org.jspecify.annotations.NullMarked;
