@NullMarked
package io.sluice.streaming.throttle;

import org.jspecify.annotations.NullMarked;
