/** Tests of the view of a live cluster. */
@NullMarked
package io.sluice.cassandra.ring;

import org.jspecify.annotations.NullMarked;
