/** The one JSON mapper of admin endpoint and reports. */
@NullMarked
package io.sluice.harness.json;

import org.jspecify.annotations.NullMarked;
