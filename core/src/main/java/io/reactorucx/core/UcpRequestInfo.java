package io.reactorucx.core;

import io.reactorucx.core.error.UcxStatus;

/**
 * A description by UCX of an operation in flight.
 *
 * @param description UCX's words, empty where it has none
 * @param status {@link UcxStatus#IN_PROGRESS} until it has ended
 * @param memoryType where its memory is
 */
public record UcpRequestInfo(String description, UcxStatus status, UcxMemoryType memoryType) {
}
