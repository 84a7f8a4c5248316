/** Real Cassandra, in the same process, as the oracle of our files. */
@NullMarked
package io.sluice.interop;

import org.jspecify.annotations.NullMarked;
