/** Tests of bulk load. */
@NullMarked
package io.sluice.cassandra.load;

import org.jspecify.annotations.NullMarked;
