/** What a node's admin endpoint understands and answers, as typed values, and its client. */
@NullMarked
package io.sluice.harness.admin;

import org.jspecify.annotations.NullMarked;
