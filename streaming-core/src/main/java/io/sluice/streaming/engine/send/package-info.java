/** The sending end: pins, offers and sent bytes. */
@NullMarked
package io.sluice.streaming.engine.send;

import org.jspecify.annotations.NullMarked;
