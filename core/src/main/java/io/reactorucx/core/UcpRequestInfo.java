package io.reactorucx.core;

/**
 * What UCX says about an operation under way.
 *
 * @param description UCX's words, empty where it has none
 * @param status {@link UcxStatus#IN_PROGRESS} until it has ended
 * @param memoryType number of the {@code ucs_memory_type_t} of its memory, 0 for the host's
 */
public record UcpRequestInfo(String description, UcxStatus status, int memoryType) {
}
