package io.reactorucx.core;

import io.reactorucx.core.ffi.ucp_ep_evaluate_perf_attr_t;
import io.reactorucx.core.ffi.ucp_ep_evaluate_perf_param_t;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.NativeStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * The time that UCX expects a message over an endpoint to take, from what its transports say of themselves ({@code
 * ucp_ep_evaluate_perf}).
 */
final class PerformanceEstimate {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final Pattern UNIFIED_MODE = Pattern.compile("(?m)^\\w*UNIFIED_MODE=y$");

    private PerformanceEstimate() {
    }

    /**
     * Returns whether UCX can be asked: with {@code UNIFIED_MODE} it closes interfaces that others surpass, but looks
     * for an endpoint's interface at the place that it had before, up to at least UCX 1.22. That place may lie outside
     * of its memory.
     */
    static boolean isSafe(UcpConfig config) {
        return !UNIFIED_MODE.matcher(config.print(ConfigPrint.CONFIG)).find();
    }

    static OptionalLong nanos(MemorySegment endpoint, long messageBytes) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment param = ucp_ep_evaluate_perf_param_t.allocate(call);
            ucp_ep_evaluate_perf_param_t.field_mask(param, ucx_h.UCP_EP_PERF_PARAM_FIELD_MESSAGE_SIZE());
            ucp_ep_evaluate_perf_param_t.message_size(param, messageBytes);
            MemorySegment attr = ucp_ep_evaluate_perf_attr_t.allocate(call);
            ucp_ep_evaluate_perf_attr_t.field_mask(attr, ucx_h.UCP_EP_PERF_ATTR_FIELD_ESTIMATED_TIME());
            NativeStatus.check(ucx_h.ucp_ep_evaluate_perf(endpoint, param, attr), "ep_evaluate_perf");
            double seconds = ucp_ep_evaluate_perf_attr_t.estimated_time(attr);
            // Without a transport UCX divides by a bandwidth of 0.
            return Double.isFinite(seconds) ? OptionalLong.of(Math.round(seconds * NANOS_PER_SECOND))
                    : OptionalLong.empty();
        }
    }
}
