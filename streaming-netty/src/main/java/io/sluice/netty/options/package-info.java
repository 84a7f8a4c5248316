/**
 * The settings of streaming, each declared once: its name, format, allowed values, default and purpose. The builder of
 * options, {@code sluice.yaml} and the documentation are derived from the declarations.
 *
 * <p>This package does not log: settings are read before logging is configured.
 */
@NullMarked
package io.sluice.netty.options;

import org.jspecify.annotations.NullMarked;
