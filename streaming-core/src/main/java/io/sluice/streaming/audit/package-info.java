/** Who did what to a node, and the outcome: one event for each connection, plan and order. */
@NullMarked
package io.sluice.streaming.audit;

import org.jspecify.annotations.NullMarked;
