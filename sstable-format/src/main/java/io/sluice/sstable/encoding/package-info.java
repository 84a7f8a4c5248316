/**
 * Encoding of values, and access to files and buffers for it: {@link io.sluice.sstable.encoding.OutputFiles} has the
 * file operations that writers of components need. The variable-length integers of all SSTable components:
 *
 * <pre>
 * uvint   the number of leading one bits of the first byte = number of bytes that follow; the other bits of the first
 *         byte, then the following bytes, big-endian, are the value. 0 -> 00, 127 -> 7f, 128 -> 80 80, 16384 -> c0 40 00
 * svint   zig-zag ((n &lt;&lt; 1) ^ (n >> 63)), then uvint
 * uvint32 a signed 32-bit value, sign-extended to 64 bits, as uvint: negative ones take 9 bytes
 * </pre>
 */
@NullMarked
package io.sluice.sstable.encoding;

import org.jspecify.annotations.NullMarked;
