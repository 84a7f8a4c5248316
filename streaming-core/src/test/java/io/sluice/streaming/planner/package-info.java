/** Tests of plans against rings. */
@NullMarked
package io.sluice.streaming.planner;

import org.jspecify.annotations.NullMarked;
