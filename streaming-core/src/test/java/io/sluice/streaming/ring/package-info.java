@NullMarked
package io.sluice.streaming.ring;

import org.jspecify.annotations.NullMarked;
