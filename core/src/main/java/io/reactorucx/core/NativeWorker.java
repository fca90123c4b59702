package io.reactorucx.core;

import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.ffi.ucp_worker_params;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.NativeEnvironment;
import io.reactorucx.core.internal.config.FailureCause;
import io.reactorucx.core.internal.config.RdmaQueues;
import io.reactorucx.core.internal.config.SharedMemorySpace;
import io.reactorucx.core.internal.config.UcxSettings;
import io.reactorucx.core.internal.segment.WakeupSockets;
import io.reactorucx.core.internal.socket.EpollDescriptor;
import io.reactorucx.core.internal.socket.TcpPort;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A {@code ucp_worker_h} with what has to live as long as it does.
 *
 * @param handle the native handle
 * @param eventFd the descriptor that UCX adds its own to, null when it has one of its own
 * @param arena memory and upcalls of the worker
 * @param tcpPort the port on which its tcp transport listens where it is in use, 0 when UCX has chosen it
 */
record NativeWorker(MemorySegment handle, @Nullable EpollDescriptor eventFd, Arena arena, int tcpPort) {

    private static final String TCP_PORT_RANGE = "TCP_PORT_RANGE";
    private static final int MAX_PORT_TRIES = 8;
    /** Without one of them UCX makes no lanes, and ends the process at the first endpoint. */
    private static final Set<UcpFeature> OPERATIONS = Collections.unmodifiableSet(EnumSet.of(UcpFeature.TAG,
            UcpFeature.RMA, UcpFeature.AMO32, UcpFeature.AMO64, UcpFeature.STREAM, UcpFeature.AM));

    static NativeWorker create(UcpContext context, UcpWorkerConfig config) {
        UcpWorkerParameters parameters = config.parameters();
        checkSupport(context, parameters);
        CapabilityCheck.requireMessages(context, "worker_create");
        FailureCause.requireFiles("worker_create");
        UcxSettings settings = context.config().effective();
        RdmaQueues.require(settings, context::transports);
        EpollDescriptor eventFd = parameters.eventFd() == UcpWorkerParameters.NO_EVENT_FD ? null
                : EpollDescriptor.duplicate(parameters.eventFd());
        Arena arena = Arena.ofShared();
        try {
            MemorySegment pointer = arena.allocate(ValueLayout.ADDRESS);
            MemorySegment params = ucp_worker_params.allocate(arena);
            parameters.fill(params, arena.allocateFrom(config.name()),
                    eventFd == null ? UcpWorkerParameters.NO_EVENT_FD : eventFd.number());
            String range = context.setting(TCP_PORT_RANGE);
            int port;
            int status;
            int tries = 0;
            do {
                port = TcpPort.free(range.isEmpty() ? "0" : range);
                status = NativeEnvironment.with(environment(context, port),
                        () -> (int) ucx_h.ucp_worker_create(context.handle(), params, pointer));
                // Another process may have taken the port in between.
            } while (status == UcxStatus.BUSY.code() && ++tries < MAX_PORT_TRIES);
            SharedMemorySpace.checkWorker(settings, context::transports, status);
            WakeupSockets.takeSignalsOnly();
            return new NativeWorker(pointer.get(ValueLayout.ADDRESS, 0), eventFd, arena, port);
        } catch (RuntimeException | Error e) {
            release(eventFd, arena);
            throw e;
        }
    }

    private static Map<String, String> environment(UcpContext context, int tcpPort) {
        if (tcpPort == 0) {
            return context.environment();
        }
        Map<String, String> variables = new HashMap<>(context.environment());
        context.config().effective().addVariables(TCP_PORT_RANGE, tcpPort + "-" + tcpPort, variables);
        return variables;
    }

    private static void checkSupport(UcpContext context, UcpWorkerParameters parameters) {
        Set<UcpFeature> features = context.config().features();
        if (Collections.disjoint(features, OPERATIONS)) {
            throw new UcxUnsupportedException("worker_create", "the context was made with the features " + features
                    + ", by which nothing can be sent: add one of " + OPERATIONS);
        }
        UcxThreadMode mode = parameters.threadMode();
        if (mode != UcxThreadMode.SINGLE && !context.config().workersShared()) {
            throw new UcxUnsupportedException("worker_create", "thread mode " + mode
                    + " in a context with workersShared(false)");
        }
        if (mode == UcxThreadMode.MULTI) {
            context.support(UcpCapability.MULTI_THREADED_WORKERS).require("worker_create");
        }
        if (parameters.eventFd() != UcpWorkerParameters.NO_EVENT_FD || !parameters.events().isEmpty()) {
            context.requireFeature(UcpFeature.WAKEUP, "worker_create with events");
        }
    }

    private static void release(@Nullable EpollDescriptor eventFd, Arena arena) {
        if (eventFd != null) {
            eventFd.close();
        }
        arena.close();
    }

    void destroy() {
        ucx_h.ucp_worker_destroy(handle);
        release(eventFd, arena);
    }
}
