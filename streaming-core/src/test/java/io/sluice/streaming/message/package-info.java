@NullMarked
package io.sluice.streaming.message;

import org.jspecify.annotations.NullMarked;
