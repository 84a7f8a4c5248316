/**
 * HTTP/1.1 for an admin endpoint: authentication, sizes, deadlines. Requests are read without a thread each, so a slow
 * one does not delay the others.
 */
@NullMarked
package io.sluice.harness.http;

import org.jspecify.annotations.NullMarked;
