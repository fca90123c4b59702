package io.reactorucx.examples.dashboard.grafana;

import java.util.List;

/** The queries of the dashboards as Grafana would ask them. */
public final class PanelQueries {

    private PanelQueries() {
    }

    /**
     * A query with its variables filled in.
     *
     * @param dashboard of the panel
     * @param panel its title
     * @param expression in PromQL
     */
    public record Asked(String dashboard, String panel, String expression) {

        /** {@return whether the result is no number while nothing was counted} */
        public boolean mayDivideByZero() {
            return panel.startsWith("Mean wait for ");
        }
    }

    /**
     * Fills in the variables: all jobs, all instances.
     *
     * @param range for rates
     * @return each query
     */
    public static List<Asked> all(String range) {
        return Dashboards.all().stream().flatMap(dashboard -> dashboard.panels().stream()
                .flatMap(panel -> panel.queries().stream().map(query -> new Asked(dashboard.uid(), panel.title(),
                        query.expression().replace("$__rate_interval", range).replace("$job", ".*")
                                .replace("$instance", ".*"))))).toList();
    }
}
