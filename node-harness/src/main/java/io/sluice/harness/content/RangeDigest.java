package io.sluice.harness.content;

import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRange;

/** The content of a token range, whatever files hold it. Immutable. */
public record RangeDigest(TokenRange range, ContentDigest content) {}
