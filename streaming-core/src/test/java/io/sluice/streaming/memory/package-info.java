@NullMarked
package io.sluice.streaming.memory;

import org.jspecify.annotations.NullMarked;
