/** What a run reports to humans and programs: progress while it runs, a table and JSON afterwards. */
@NullMarked
package io.sluice.harness.report;

import org.jspecify.annotations.NullMarked;
