@NullMarked
package io.sluice.streaming.plan.balance;

import org.jspecify.annotations.NullMarked;
