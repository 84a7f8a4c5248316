@NullMarked
package io.sluice.streaming.transfer.tablet;

import org.jspecify.annotations.NullMarked;
