/** Configuration files: every key declared once, checked with file and line, bound to typed settings. */
@NullMarked
package io.sluice.harness.config;

import org.jspecify.annotations.NullMarked;
