/** The dashboards of {@code docs/guide/dashboards} in Java, and the tests of their queries and of the rules. */
@NullMarked
package io.reactorucx.examples.dashboard.grafana;

import org.jspecify.annotations.NullMarked;
