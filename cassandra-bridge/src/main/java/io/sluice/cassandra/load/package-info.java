/** Bulk load: plans which node of a live Cassandra cluster receives what of some SSTables, and runs the plan. */
@NullMarked
package io.sluice.cassandra.load;

import org.jspecify.annotations.NullMarked;
