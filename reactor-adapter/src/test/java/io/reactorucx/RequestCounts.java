package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.message.RequestStatistics;

/** Checks that each request that has begun has ended, and was counted once on each side. */
final class RequestCounts {

    private RequestCounts() {
    }

    static void assertAllEnded(UcxResources resources) {
        for (RequestStatistics.Side side : RequestStatistics.Side.values()) {
            for (RequestStatistics each : resources.statistics().requests(side)) {
                assertThat(each.ended().values().stream().mapToLong(Long::longValue).sum())
                        .as("%s requests that have ended: %s", side, each).isEqualTo(each.begun());
            }
        }
        resources.messageStatistics().forEach(each -> assertThat(each.creditWaiters()).as("credit waiters").isZero());
    }
}
