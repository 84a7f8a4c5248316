/**
 * Indexes of partitions: Index.db with its sample Summary.db (BIG), or Partitions.db with Rows.db (BTI).
 *
 * <pre>
 * Index.db, per partition in order of (token, key)
 * short-bytes  key
 * uvint        position in uncompressed Data.db
 * uvint32      length of the block index that follows, 0 = none; only numbers relative to the partition are in it
 *
 * Summary.db, big-endian but where said otherwise         limits
 * i32  index interval                                     at least 1
 * i32  entries n                                          4n + 8n up to the length below
 * i64  length of offsets and entries                      what is left of the file
 * i32  sampling level, 128 = every interval-th key        1..128
 * i32  entries at full sampling
 * n *  i32 little-endian offset of entry i from here      ascending, the first is 4n
 * n *  key, i64 little-endian position in Index.db        key length follows from the offsets
 * int-bytes first key, int-bytes last key
 *
 * Partitions.db: trie nodes, children before parents; short-bytes first key, short-bytes last key; then the last 24 bytes:
 * i64  position of the first key, i64 number of keys, i64 position of the root
 *
 * A node: u8 type in the high 4 bits, payload flags f in the low 4. child = own position - distance
 *  0         no child; payload at 1
 *  1         distance in the low 4 bits, u8 transition; no payload
 *  2         u8 transition, u8 distance; payload at 3
 *  3         12 bits distance from the low 4 bits on, u8 transition; no payload
 *  4         u8 transition, u16 distance; payload at 4
 *  5 7 8 9   u8 n, n transitions, n distances of 1, 2, 3, 5 bytes; then payload
 *  6         u8 n, n transitions, n distances of 12 bits; then payload
 *  10        u8 first transition, u8 n - 1, n distances of 12 bits, 0 = no child; then payload
 *  11 to 15  likewise with 2, 3, 4, 5, 8 bytes
 * Payload: f = 0 none; f &lt; 8 signed number of f bytes; else u8 low byte of h2, signed number of f - 7 bytes.
 * number &gt;= 0: position in Rows.db of short-bytes key, uvint position in Data.db, …; else ~number is the position in Data.db.
 * The path to a payload begins the key's comparable form: 0x40, then the token, 8 bytes big-endian, its sign bit flipped, …
 * </pre>
 */
@NullMarked
package io.sluice.sstable.index;

import org.jspecify.annotations.NullMarked;
