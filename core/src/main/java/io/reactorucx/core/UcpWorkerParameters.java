package io.reactorucx.core;

import io.reactorucx.core.ffi.ucp_worker_params;
import io.reactorucx.core.ffi.ucs_cpu_set_t;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.Arguments;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * The parameters that UCX makes a worker with ({@code ucp_worker_params_t}), its name aside.
 *
 * @param threadMode which threads may use it, see {@link UcpWorker#enter()}
 * @param cpus processors that its memory should be near to, 0 to 1023; empty for the system's choice
 * @param events what wakes it; empty for everything
 * @param eventFd an epoll descriptor that its events are reported to, -1 for one of UCX's own. It is duplicated: the
 *     caller keeps its own
 * @param userData what {@code epoll_data} of those events is
 * @param clientId what listeners learn of endpoints that send it, see {@link EndpointOptions#sendClientId()}
 * @param amAlignment alignment of held active messages in bytes, a power of 2 up to 4096
 * @param ignoreRequestLeak whether to be silent when it ends with requests that were not freed
 */
public record UcpWorkerParameters(UcxThreadMode threadMode, Set<Integer> cpus, Set<WakeupEvent> events, int eventFd,
        long userData, long clientId, int amAlignment, boolean ignoreRequestLeak) {

    /** The defaults of UCX: one thread, all events, no preferences. */
    public static final UcpWorkerParameters DEFAULT = new Builder().build();

    /** Number of {@link #eventFd} that asks for a descriptor of UCX's own. */
    public static final int NO_EVENT_FD = -1;

    private static final int MAX_CPUS = 1024;
    private static final int MAX_ALIGNMENT = 4096;

    /** Checks and copies the parts. */
    public UcpWorkerParameters {
        Objects.requireNonNull(threadMode, "threadMode");
        Set<Integer> checked = new TreeSet<>();
        Arguments.elements(cpus, "cpus").forEach(cpu -> checked.add(Arguments.range(cpu, 0, MAX_CPUS - 1, "cpu")));
        cpus = Collections.unmodifiableSet(checked);
        EnumSet<WakeupEvent> copy = EnumSet.noneOf(WakeupEvent.class);
        copy.addAll(Arguments.elements(events, "events"));
        if (copy.equals(EnumSet.of(WakeupEvent.EDGE))) {
            throw new IllegalArgumentException("events EDGE: it says how events are reported, name some that are");
        }
        events = Collections.unmodifiableSet(copy);
        Arguments.range(eventFd, NO_EVENT_FD, Integer.MAX_VALUE, "eventFd");
        Arguments.range(amAlignment, 1, MAX_ALIGNMENT, "amAlignment");
        if (Integer.bitCount(amAlignment) != 1) {
            throw new IllegalArgumentException("amAlignment " + amAlignment + ": must be a power of 2");
        }
    }

    /**
     * Starts from {@link #DEFAULT}.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Fills the native struct, which is zero. */
    void fill(MemorySegment params, MemorySegment name, int ownEventFd) {
        long mask = ucx_h.UCP_WORKER_PARAM_FIELD_THREAD_MODE() | ucx_h.UCP_WORKER_PARAM_FIELD_NAME()
                | ucx_h.UCP_WORKER_PARAM_FIELD_USER_DATA() | ucx_h.UCP_WORKER_PARAM_FIELD_CLIENT_ID()
                | ucx_h.UCP_WORKER_PARAM_FIELD_AM_ALIGNMENT() | ucx_h.UCP_WORKER_PARAM_FIELD_FLAGS();
        ucp_worker_params.thread_mode(params, threadMode.code());
        ucp_worker_params.name(params, name);
        ucp_worker_params.user_data(params, MemorySegment.ofAddress(userData));
        ucp_worker_params.client_id(params, clientId);
        ucp_worker_params.am_alignment(params, amAlignment);
        ucp_worker_params.flags(params, ignoreRequestLeak ? ucx_h.UCP_WORKER_FLAG_IGNORE_REQUEST_LEAK() : 0);
        if (!cpus.isEmpty()) {
            mask |= ucx_h.UCP_WORKER_PARAM_FIELD_CPU_MASK();
            MemorySegment bits = ucp_worker_params.cpu_mask(params);
            cpus.forEach(cpu -> ucs_cpu_set_t.ucs_bits(bits, cpu / Long.SIZE,
                    ucs_cpu_set_t.ucs_bits(bits, cpu / Long.SIZE) | 1L << cpu));
        }
        if (!events.isEmpty()) {
            mask |= ucx_h.UCP_WORKER_PARAM_FIELD_EVENTS();
            ucp_worker_params.events(params, events.stream().mapToInt(WakeupEvent::bit).sum());
        }
        if (ownEventFd != NO_EVENT_FD) {
            mask |= ucx_h.UCP_WORKER_PARAM_FIELD_EVENT_FD();
            ucp_worker_params.event_fd(params, ownEventFd);
        }
        ucp_worker_params.field_mask(params, mask);
    }

    /** Collects the parts of {@link UcpWorkerParameters}. */
    public static final class Builder {

        private UcxThreadMode threadMode = UcxThreadMode.SINGLE;
        private Set<Integer> cpus = Set.of();
        private Set<WakeupEvent> events = Set.of();
        private int eventFd = NO_EVENT_FD;
        private long userData;
        private long clientId;
        private int amAlignment = 1;
        private boolean ignoreRequestLeak;

        Builder() {
        }

        /**
         * Which threads may use the worker.
         *
         * @param value the mode; more than the library allows is refused when the worker is made
         * @return this
         */
        public Builder threadMode(UcxThreadMode value) {
            threadMode = value;
            return this;
        }

        /**
         * Which processors its memory should be near to.
         *
         * @param value numbers of processors
         * @return this
         */
        public Builder cpus(Set<Integer> value) {
            cpus = value;
            return this;
        }

        /**
         * The events that wake the worker.
         *
         * @param value events
         * @return this
         */
        public Builder events(Set<WakeupEvent> value) {
            events = value;
            return this;
        }

        /**
         * Reports events to a descriptor of the caller.
         *
         * @param epollFd an epoll descriptor
         * @param data what {@code epoll_data} of its events is
         * @return this
         */
        public Builder eventFd(int epollFd, long data) {
            eventFd = epollFd;
            userData = data;
            return this;
        }

        /**
         * The number that listeners learn of this worker's endpoints.
         *
         * @param value any number
         * @return this
         */
        public Builder clientId(long value) {
            clientId = value;
            return this;
        }

        /**
         * How held active messages are aligned.
         *
         * @param bytes a power of 2 up to 4096
         * @return this
         */
        public Builder amAlignment(int bytes) {
            amAlignment = bytes;
            return this;
        }

        /**
         * Whether UCX is silent about requests that were not freed.
         *
         * @param value whether it is
         * @return this
         */
        public Builder ignoreRequestLeak(boolean value) {
            ignoreRequestLeak = value;
            return this;
        }

        /** {@return the parameters} */
        public UcpWorkerParameters build() {
            return new UcpWorkerParameters(threadMode, cpus, events, eventFd, userData, clientId, amAlignment,
                    ignoreRequestLeak);
        }
    }
}
