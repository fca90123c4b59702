package io.reactorucx.examples.doctor;

import io.reactorucx.core.setting.UcxTransportList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Checks for variables of the environment with which UCX does not work in a JVM or with this project. */
record DangerousVariables(Map<String, String> environment) implements Check {

    private static final Set<String> NO = Set.of("n", "no", "off", "0");

    /** Transports that connect by a socket address: tcp, and RDMA by rdmacm. */
    private static final Pattern CONNECTS = Pattern.compile("tcp|all|ib|rdmacm|(rc|ud|dc)(_.*)?");

    @Override
    public String name() {
        return "dangerous-variables";
    }

    @Override
    public List<Finding> findings() {
        List<Finding> found = environment.entrySet().stream().sorted(Map.Entry.comparingByKey())
                .flatMap(variable -> judge(variable.getKey(), variable.getValue()).stream()).toList();
        return found.isEmpty() ? List.of(Finding.ok(name(), "none is set",
                "Nothing in the environment works against this project")) : found;
    }

    private List<Finding> judge(String name, String value) {
        String set = name + "=" + value;
        return switch (name) {
            case "UCX_MEM_MMAP_HOOK_MODE" -> value.equals("reloc") ? found(Severity.WARNING, set,
                    "UCX deadlocks while it is loaded; this project uses none instead", name) : List.of();
            case "UCX_POSIX_ERROR_HANDLING", "UCX_SYSV_ERROR_HANDLING" -> NO.contains(value)
                    ? found(Severity.WARNING, set,
                    "Between peers that watch each other this kind of shared memory is left out", name) : List.of();
            case "UCX_TLS" -> leavesOutTcp(value)
                    ? List.of(Finding.warning(name(), set,
                    "Connections by a socket address need tcp or rdmacm, and are refused as UNREACHABLE without",
                    "Add tcp: UCX_TLS=" + value + ",tcp")) : List.of();
            case "UCX_LOG_LEVEL" -> value.startsWith("debug") || value.startsWith("trace")
                    ? found(Severity.NOTE, set,
                    "UCX writes about every step, to the standard output unless UCX_LOG_FILE is set", name) : List.of();
            case "UCX_KEEPALIVE_INTERVAL" -> value.equals("inf") || value.matches("0+[a-z]*") ? List.of()
                    : found(Severity.WARNING, set, "UCX's keepalive can crash on an endpoint that is being closed;"
                    + " peers of this project have heartbeats, only raw peers need it", name);
            default -> List.of();
        };
    }

    private List<Finding> found(Severity severity, String measured, String meaning, String variable) {
        return List.of(new Finding(name(), severity, measured, meaning, "unset " + variable));
    }

    /** A transport that only helps others to connect carries none of their data. */
    private static boolean leavesOutTcp(String transports) {
        UcxTransportList list = UcxTransportList.of(transports);
        return list.excluding() ? !list.carries("tcp")
                : list.names().stream().noneMatch(name -> CONNECTS.matcher(name).matches());
    }
}
