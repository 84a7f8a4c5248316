/**
 * The content of Data.db: partitions, rows, cells and tombstones, read and written one row at a time.
 *
 * <pre>
 * file      := partition*                         in order of (token, key bytes)
 * partition := u16 length + key, deletion, [static row], (row | marker)*, u8 0x01
 * deletion  := nb: i32 seconds, i64 timestamp; none is 7fffffff 8000000000000000
 *              oa, da: i64 timestamp, u32 seconds; none is one byte 80
 * row       := u8 flags, [u8 extended flags], [clustering], uvint bytes that follow, uvint distance to the previous,
 *              [timestamp], [ttl, seconds], [deletion: timestamp, seconds], [column subset], data of each column
 *              flags: 01 end, 02 marker, 04 timestamp, 08 ttl, 10 deletion, 20 all columns, 40 complex deletion,
 *              80 extended (01 static, 02 shadowable deletion); a row without times, deletion and columns is skipped
 * clustering:= per 32 values: uvint of 2 bits each (1 empty, 2 null), then the others by the rule of their type
 * subset    := below 64 columns: uvint, bit i = column i is missing; else uvint number of missing columns, then the
 *              numbers of the present ones if these are fewer than half, or of the missing ones
 * marker    := u8 02, u8 kind, u16 values, clustering, uvint bytes that follow, uvint distance to the previous,
 *              deletion(s): of the range that ends, of the range that starts
 * column    := cell, or, if multi-cell: [deletion], uvint32 cells, cell*
 * cell      := u8 flags, [timestamp], [seconds], [ttl], [path], [value]
 *              flags: 01 tombstone, 02 expiring, 04 no value, 08 timestamp of the row, 10 ttl and seconds of the row
 * times inside rows and markers are uvints of their distance from the minima of the header
 *
 * header (component HEADER of Statistics.db)
 *   uvint minTimestamp - 1442880000000000, uvint32 minLocalDeletionTime - 1442880000, uvint32 minTtl,
 *   uvint length + type name of the key, uvint32 count + names of clustering types,
 *   uvint32 count + (name, type) of static columns, uvint32 count + (name, type) of regular columns
 * </pre>
 */
@NullMarked
package io.sluice.sstable.data;

import org.jspecify.annotations.NullMarked;
