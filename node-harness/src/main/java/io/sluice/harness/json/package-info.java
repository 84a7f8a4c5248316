/** The one JSON mapper of admin endpoint and reports, and a reader that binds nothing, for short commands. */
@NullMarked
package io.sluice.harness.json;

import org.jspecify.annotations.NullMarked;
