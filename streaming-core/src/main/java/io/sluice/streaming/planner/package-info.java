/** Who sends what to whom: compares rings, and gives each range to a source by bytes. */
@NullMarked
package io.sluice.streaming.planner;

import org.jspecify.annotations.NullMarked;
