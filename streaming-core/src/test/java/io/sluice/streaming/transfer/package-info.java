@NullMarked
package io.sluice.streaming.transfer;

import org.jspecify.annotations.NullMarked;
