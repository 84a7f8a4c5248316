/**
 * The store of a node: small, but a real one. A write goes to the commit log and to a memtable; memtables are flushed
 * to SSTables; SSTables are compacted; a read merges all that is left. Tables can be truncated and dropped at any time.
 * {@link io.sluice.harness.store.StreamedStore} shows it to streaming: whoever embeds Sluice in a database begins
 * there.
 *
 * <pre>
 * data/commitlog/sluice-7.log               writes that are in no SSTable yet; see {@link io.sluice.harness.store.CommitLog}
 * data/dropped-tables/ID                    that table was dropped, its id never comes back
 * data/ks/table-id/nb-…-Data.db             live, unless marked
 * data/ks/table-id/nb-….db.tmp              unfinished: removed at start, with all of that name
 * data/ks/table-id/obsolete-nb-…-big        mark of SSTables that became obsolete together, and go when nobody reads them
 * data/ks/table-id/schema.cql               how the table was created
 * data/ks/table-id/snapshots/sluice-…/      hard links to what a stream has pinned; removed at start
 * data/ks/table-id/truncated.txt            what the last truncation has removed; see {@link io.sluice.harness.store.Removals}
 * data/.sluice-staging/                     of the streaming engine
 * </pre>
 *
 * Of several data directories each has tables, snapshots and staging; all else is in the first. One that fails is left
 * alone: no SSTable of it is compacted or sent, no deletion is forgotten meanwhile, and what is written goes to the
 * others. Reads are answered from what is there.
 *
 * <p>A compaction forgets a deletion, and what has expired, when it is older than {@code gc_grace_seconds} of the
 * table's CQL, nothing that it deletes can be in other SSTables or in memory, and no stream is expected to bring older
 * rows there. Of a table that was found without its CQL nothing is ever forgotten. One mark makes all inputs of a
 * compaction obsolete at once: so no crash brings a row back without the deletion that it had.
 */
@NullMarked
package io.sluice.harness.store;

import org.jspecify.annotations.NullMarked;
