/** The same again and again, with processes killed meanwhile: long runs that end with a table. */
@NullMarked
package io.sluice.harness.soak;

import org.jspecify.annotations.NullMarked;
