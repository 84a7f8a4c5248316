/**
 * The last comparison of a run: what was written, partition by partition, against what the files of each node hold. It
 * decides by itself what belongs where: no class here knows the ring, ranges or tokens of the library. Tokens are
 * hashed anew ({@link io.sluice.harness.audit.KeyToken}), replicas found by walking a sorted list
 * ({@link io.sluice.harness.audit.Owners}), and files are found by listing folders. What it shares with the library is
 * the decoder of Data.db, and the fingerprint of a partition's content; files that are byte for byte what was written
 * are not even decoded. Of a table that rows were deleted from, what is alive is compared: an entry for each key that
 * was not deleted last, and whatever else is alive has been resurrected. It runs in a process of its own, when all
 * nodes have ended.
 *
 * <pre>
 * ledger/partitions-0.bin    sorted by token, key; there may be several
 *        0     8  "SluiceA1"
 * then for each partition, big-endian:
 *        0     2  length k of the key       0..65535
 *        2     k  key
 *      2+k    16  fingerprint of its content
 * ledger/files.tsv           SHA-256 of a Data.db, its first token, its last token, its name
 * </pre>
 */
@NullMarked
package io.sluice.harness.audit;

import org.jspecify.annotations.NullMarked;
