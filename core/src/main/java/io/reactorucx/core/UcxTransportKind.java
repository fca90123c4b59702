package io.reactorucx.core;

import java.util.List;
import java.util.Objects;

/**
 * A kind of UCX's transports, by what carries the data of a connection. A frame has a bit for each, by its position.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> none. <b>Errors:</b> none; names that are not known are {@link
 * #OTHER}.
 */
public enum UcxTransportKind {
    /** RDMA devices: {@code rc_verbs}, {@code rc_mlx5}, {@code dc_mlx5}, {@code ud_verbs}, {@code ud_mlx5}. */
    RDMA("rdma", List.of("rc_", "dc_", "ud_", "srd", "gga_")),
    /** Memory of one host: {@code posix}, {@code sysv}, {@code xpmem}, {@code cma}, {@code knem}, and its GPUs'. */
    SHARED_MEMORY("shm", List.of("posix", "sysv", "xpmem", "cma", "knem", "cuda_ipc", "rocm_ipc")),
    /** A worker's own memory: {@code self}, and copies from and to a GPU. */
    SELF("self", List.of("self", "cuda_copy", "gdr_copy", "rocm_copy", "ze_copy")),
    /** The kernel's tcp. */
    TCP("tcp", List.of("tcp")),
    /** A transport of UCX that this library does not know. */
    OTHER("other", List.of());

    private final String tag;
    private final List<String> names;

    UcxTransportKind(String tag, List<String> names) {
        this.tag = tag;
        this.names = names;
    }

    /**
     * {@return the kind of a transport}
     *
     * @param transport its name, alone or as {@link UcpEndpoint#transports()} has it, with a device
     */
    public static UcxTransportKind of(String transport) {
        String name = Objects.requireNonNull(transport, "transport").split("/", 2)[0];
        for (UcxTransportKind kind : values()) {
            if (kind.names.stream().anyMatch(each -> each.endsWith("_") ? name.startsWith(each) : name.equals(each))) {
                return kind;
            }
        }
        return OTHER;
    }

    /** {@return the name in meters and errors: {@code rdma}, {@code shm}, {@code self}, {@code tcp}, {@code other}} */
    public String tag() {
        return tag;
    }
}
