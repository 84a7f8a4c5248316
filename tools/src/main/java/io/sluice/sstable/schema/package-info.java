/**
 * Parses CQL table declarations, and derives from them the settings of SSTables.
 *
 * <pre>
 * statements   CREATE KEYSPACE (skipped), CREATE TYPE, one CREATE TABLE keyspace.table
 * columns      name type [STATIC] [PRIMARY KEY], PRIMARY KEY ((a, b), c, d)
 * WITH         CLUSTERING ORDER BY (c DESC, ..), compression, bloom_filter_fp_chance, min_index_interval; others skipped
 * types        all of CQL: frozen, list, set, map, tuple, vector, user types
 * </pre>
 */
@NullMarked
package io.sluice.sstable.schema;

import org.jspecify.annotations.NullMarked;
