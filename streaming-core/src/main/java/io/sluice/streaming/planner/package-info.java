/** Plans transfers: compares rings, and assigns each range to a source by bytes. */
@NullMarked
package io.sluice.streaming.planner;

import org.jspecify.annotations.NullMarked;
