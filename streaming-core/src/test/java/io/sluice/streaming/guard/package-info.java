/** Tests of the guarded calls of the database. */
@NullMarked
package io.sluice.streaming.guard;

import org.jspecify.annotations.NullMarked;
