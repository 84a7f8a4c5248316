/**
 * Moves the SSTables of a tablet as files through user space: the source opens all of them, which is the snapshot, and
 * sends one component after the other, checked at both ends. For stores whose SSTables never reach over the edge of a
 * tablet.
 *
 * <pre>
 * stream    := u32 0x534c5431, uuid session, component*, u8 2        big-endian
 * component := u8 1, u8 last of its SSTable, u16 length and letters of the version, u16 length and the file name part,
 *              message*, i32 0, u32 CRC-32 of the component
 * message   := i32 length (1 .. 131,072), bytes
 * answer    := u8 0 for each component, when it is synced
 * </pre>
 *
 * Components of an SSTable come in the order TOC, statistics, data, others; on disk the table of contents is named
 * last.
 */
@NullMarked
package io.sluice.bench.tablet;

import org.jspecify.annotations.NullMarked;
