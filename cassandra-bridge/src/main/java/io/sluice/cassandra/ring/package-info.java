/** What a live Cassandra cluster says of itself over CQL: nodes, who owns what, tables. */
@NullMarked
package io.sluice.cassandra.ring;

import org.jspecify.annotations.NullMarked;
