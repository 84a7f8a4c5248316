/**
 * Moves rows: what the wanted ranges hold of all SSTables of a table, merged, as fragments of partitions. The other
 * side writes them as they come to one SSTable ({@code mutation-direct}), or sorts them in memory and flushes many
 * ({@code mutation-memtable}).
 *
 * <pre>
 * stream  := frame*, both ways                     big-endian
 * frame   := i32 length of the payload (0 .. 64 MiB), u8 kind, u32 CRC-32 of kind and payload, payload
 *
 * direct    there: OPENING, FRAGMENTS*, END | FAILED        back: CONSUMED*, DONE | FAILED
 * memtable  there: OPENING, PARTITION*, END | FAILED        back: APPLIED*, DONE | FAILED
 *
 * OPENING    u32 0x534c4d31, u8 encoding (0 fixed, 1 delta), i64 estimated partitions, serialization header
 * FRAGMENTS  fragments, none of them cut
 * PARTITION  the fragments of a partition, or of a piece of a large one
 * CONSUMED   i32 bytes of frames that were consumed      APPLIED  i32 partitions that were applied
 * DONE       no payload: all is durable                  FAILED   UTF-8: why
 *
 * fragment, fixed: u8 what, i32 size of what follows, then (times i64, TTL i32, lengths and counts i32, -1 is null)
 *   1 start  key, deletion          2 static row, 3 row  [clustering], liveness, deletion, u8 shadowable, columns
 *   4 marker u8 kind, clustering, two deletions                       5 end
 *   column   i32 size, i32 column, u8 kind, timestamp, [TTL, expiry | deletion second], [path], value
 *            or kind 3: deletion, count, elements like cells with a path
 * fragment, delta: u8 flags with what in the lowest 3 bits, then the same, shorter: uvints, times less the base of
 *   the serialization header, nothing for what is absent, a bitmap of missing columns, no time that repeats the row's
 * </pre>
 */
@NullMarked
package io.sluice.bench.mutation;

import org.jspecify.annotations.NullMarked;
