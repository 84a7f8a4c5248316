@NullMarked
package io.sluice.streaming.plan;

import org.jspecify.annotations.NullMarked;
