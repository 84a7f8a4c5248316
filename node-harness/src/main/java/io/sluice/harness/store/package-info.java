/**
 * The store of a node: small, but a real one. A write goes to the commit log and to a memtable; memtables are flushed
 * to SSTables; SSTables are compacted; a read merges all that is left. Streaming sees it as a
 * {@link io.sluice.streaming.store.TableStore}.
 *
 * <pre>
 * data/commitlog/sluice-7.log               writes that are in no SSTable yet; see {@link io.sluice.harness.store.CommitLog}
 * data/ks/table-id/nb-…-Data.db             live, unless marked
 * data/ks/table-id/nb-….db.tmp              unfinished: removed at start, with all of that name
 * data/ks/table-id/obsolete-nb-…-big        mark: that SSTable was compacted, and goes when nobody reads it
 * data/ks/table-id/schema.cql               how the table was created
 * data/ks/table-id/snapshots/sluice-…/      hard links to what a stream has pinned; removed at start
 * data/.sluice-staging/                     of the streaming engine
 * </pre>
 *
 * Nothing is purged, neither tombstones nor what expired: so it never matters whether some of a compaction's inputs
 * outlive a crash, and nothing depends on the time of day.
 */
@NullMarked
package io.sluice.harness.store;

import org.jspecify.annotations.NullMarked;
