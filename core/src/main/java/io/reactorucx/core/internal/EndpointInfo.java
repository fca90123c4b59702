package io.reactorucx.core.internal;

import java.util.List;
import java.util.regex.Pattern;

/** Reads UCX's printed description of an endpoint, the only place before UCX 1.14 that names its transports. */
public final class EndpointInfo {

    /** For example {@code #   lane[0]:  1:posix/memory.0 md[1]  -> md[1]/posix/sysdev[255] am am_bw#0}. */
    private static final Pattern LANE = Pattern.compile("lane\\[\\d+]:\\s+\\d+:([^\\s/]+/[^\\s.]+)");

    private EndpointInfo() {
    }

    public static List<String> transports(String info) {
        return LANE.matcher(info).results().map(lane -> lane.group(1)).distinct().toList();
    }
}
