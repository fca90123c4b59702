package io.reactorucx.examples.dashboard.grafana;

import java.util.List;

/**
 * A panel of a dashboard.
 *
 * @param title what it shows
 * @param description what to read from it
 * @param kind how
 * @param queries whose results it shows, all of one unit
 */
record Panel(String title, String description, Kind kind, List<Query> queries) {

    Panel {
        List<String> units = queries.stream().map(Query::unit).distinct().toList();
        if (units.size() != 1) {
            throw new IllegalArgumentException("panel '" + title + "' has the units " + units);
        }
        queries = List.copyOf(queries);
    }

    /** How a panel looks, and how much of the 24 columns it takes. */
    enum Kind {
        /** Lines over time. */
        TIMESERIES(12, 8),
        /** The latest value. */
        STAT(4, 4);

        private final int width;
        private final int height;

        Kind(int width, int height) {
            this.width = width;
            this.height = height;
        }

        int width() {
            return width;
        }

        int height() {
            return height;
        }
    }

    static Panel lines(String title, String description, Query... queries) {
        return new Panel(title, description, Kind.TIMESERIES, List.of(queries));
    }

    static Panel latest(String title, String description, Query query) {
        return new Panel(title, description, Kind.STAT, List.of(query));
    }

    String unit() {
        return queries.getFirst().unit();
    }
}
