/** Tests of what is sent to Cassandra nodes. */
@NullMarked
package io.sluice.cassandra.send;

import org.jspecify.annotations.NullMarked;
