package io.reactorucx.benchmarks.report;

import com.google.gson.JsonParser;

/** A small run, as {@code bench} writes it. */
final class RunFixture {

    private static final String JSON = """
            {"started": "2026-01-02T03:04:05Z",
             "machine": {"processors": 2, "processor": "Some CPU", "system": "Linux 6", "java": "OpenJDK 25",
              "ucx": "1.13.1"},
             "how": {"pinning": "not pinned", "pairs": 2, "warmup_seconds": 2.5, "seconds": 0.8},
             "rows": [
              {"case": "sweep-latency-shm-jucx-8", "metric": "p50_ns", "contender": "Reactor UCX tag, latency 8",
               "against": "JUCX tag, latency 8",
               "target_kind": "none", "target": 0, "ours": 300, "theirs": 600, "ratio": 0.5,
               "lowest": 0.4, "highest": 0.6, "met": true},
              {"case": "sweep-latency-shm-jucx-256", "metric": "p50_ns", "contender": "Reactor UCX tag, latency 256",
               "against": "JUCX tag, latency 256", "target_kind": "none", "target": 0, "met": true, "failure": "no"},
              {"case": "sweep-load-0-50", "metric": "p50_ns", "contender": "Reactor UCX request, load 50 %",
               "target_kind": "none", "target": 0, "ours": 900, "ratio": 900,
               "lowest": 800, "highest": 1000, "met": true},
              {"case": "am-bandwidth-64K-tcp", "metric": "bytes_per_second", "contender": "ours", "against": "theirs",
               "processors": "4+4",
               "target_kind": "at_least", "target": 0.95, "ours": 1.5e9, "theirs": 2e9, "ratio": 0.75,
               "lowest": 0.7, "highest": 0.8, "met": false, "target_fast_state": true, "states": [
                {"state": "fast", "turns": 12, "ratio": 0.8, "hop_ns": 190},
                {"state": "slow x4", "turns": 3, "ratio": 0.6}]},
              {"case": "tag-latency-tcp", "metric": "p50_ns", "contender": "ours 2", "against": "theirs 2",
               "target_kind": "at_most", "target": 1.1, "met": false, "failure": "a | b"},
              {"case": "allocation-am", "metric": "alloc_bytes_per_op", "contender": "ours",
               "target_kind": "figure_at_most", "target": 64, "ours": 0.2, "ratio": 0.2,
               "lowest": 0.1, "highest": 0.3, "met": true}],
             "measurements": [
              {"contender": "Reactor UCX tag, latency 8", "round": 1,
               "figures": {"p50_ns": 290, "one_way": true, "alloc_bytes_per_op": 0.0}},
              {"contender": "Reactor UCX tag, latency 8", "round": 2,
               "figures": {"p50_ns": 310, "one_way": true, "alloc_bytes_per_op": null}},
              {"contender": "JUCX tag, latency 8", "round": 1,
               "figures": {"p50_ns": 600, "one_way": true, "alloc_bytes_per_op": 96}},
              {"contender": "Reactor UCX tag, latency 256", "round": 1, "figures": {"p50_ns": 400, "one_way": true}},
              {"contender": "JUCX tag, latency 256", "round": 1, "failure": "gone"},
              {"contender": "Reactor UCX request, load 50 %", "round": 1,
               "figures": {"p50_ns": 900, "p99_ns": 4000, "one_way": false, "rate": 20000, "cpu_ns_per_op": 12000,
                "messages_per_second": 20001}}]}
            """;

    private RunFixture() {
    }

    static Run run() {
        return new Run(JsonParser.parseString(JSON).getAsJsonObject());
    }
}
