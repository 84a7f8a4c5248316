@NullMarked
package io.sluice.streaming.planner.balance;

import org.jspecify.annotations.NullMarked;
