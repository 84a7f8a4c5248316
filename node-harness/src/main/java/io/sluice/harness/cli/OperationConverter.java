package io.sluice.harness.cli;

import io.sluice.harness.plan.RequestedChange;
import picocli.CommandLine;

/** Reads an operation by its name, or one that it had. Stateless. */
final class OperationConverter implements CommandLine.ITypeConverter<RequestedChange.Kind> {
    @Override
    public RequestedChange.Kind convert(String text) {
        return RequestedChange.Kind.named(text);
    }
}
