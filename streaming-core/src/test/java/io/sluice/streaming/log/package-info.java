/** Tests of what is written about peers. */
@NullMarked
package io.sluice.streaming.log;

import org.jspecify.annotations.NullMarked;
