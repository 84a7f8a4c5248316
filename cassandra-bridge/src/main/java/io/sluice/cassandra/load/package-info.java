/** Bulk load: what each node of a live Cassandra cluster gets of some SSTables, and the run that gives it to them. */
@NullMarked
package io.sluice.cassandra.load;

import org.jspecify.annotations.NullMarked;
