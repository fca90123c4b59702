/** The dashboards for Grafana, of which {@code docs/dashboards} is made, and what Prometheus needs to know of them. */
@NullMarked
package io.reactorucx.examples.dashboard.grafana;

import org.jspecify.annotations.NullMarked;
