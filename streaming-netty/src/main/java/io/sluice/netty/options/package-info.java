/**
 * The settings of streaming, each declared once: what it is called, how its value is written, what is allowed, its
 * default, and what it is for. The builder of options, {@code sluice.yaml} and the documentation follow.
 *
 * <p>Nothing here has a logger: settings are read before it is known where the log goes.
 */
@NullMarked
package io.sluice.netty.options;

import org.jspecify.annotations.NullMarked;
