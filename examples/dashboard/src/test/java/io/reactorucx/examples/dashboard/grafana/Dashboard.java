package io.reactorucx.examples.dashboard.grafana;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A dashboard for Grafana.
 *
 * @param uid its identity, and the name of its file
 * @param title what it shows
 * @param description whom it helps with what
 * @param rows its panels
 */
record Dashboard(String uid, String title, String description, List<Row> rows) {

    private static final int SCHEMA_VERSION = 39;
    private static final int COLUMNS = 24;
    private static final String PRESENT = "reactor_ucx_engine_steps_total";
    private static final Map<String, Object> DATA_SOURCE = map("type", "prometheus", "uid", "${datasource}");

    /**
     * Panels under a title.
     *
     * @param title what they have in common
     * @param panels from left to right
     */
    record Row(String title, List<Panel> panels) {

        static Row of(String title, Panel... panels) {
            return new Row(title, List.of(panels));
        }
    }

    String fileName() {
        return uid + ".json";
    }

    List<Panel> panels() {
        return rows.stream().flatMap(row -> row.panels().stream()).toList();
    }

    /** {@return the dashboard as Grafana reads it} */
    String json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("uid", uid);
        json.put("title", title);
        json.put("description", description);
        json.put("tags", List.of("reactor-ucx"));
        json.put("timezone", "browser");
        json.put("editable", true);
        json.put("graphTooltip", 1);
        json.put("time", map("from", "now-1h", "to", "now"));
        json.put("refresh", "10s");
        json.put("schemaVersion", SCHEMA_VERSION);
        json.put("annotations", Map.of("list", List.of()));
        json.put("templating", Map.of("list", variables()));
        json.put("panels", laidOut());
        return JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build().writeValueAsString(json) + "\n";
    }

    private static Map<String, Object> map(Object... keysAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return map;
    }

    private static List<Map<String, Object>> variables() {
        return List.of(
                map("name", "datasource", "label", "Data source", "type", "datasource", "query", "prometheus"),
                variable("job", "Job", "label_values(" + PRESENT + ", job)"),
                variable("instance", "Instance", "label_values(" + PRESENT + "{job=~\"$job\"}, instance)"));
    }

    private static Map<String, Object> variable(String name, String label, String query) {
        return map("name", name, "label", label, "type", "query", "datasource", DATA_SOURCE, "query", query, "refresh",
                2, "sort", 1, "multi", true, "includeAll", true, "allValue", ".*", "current",
                map("text", List.of("All"), "value", List.of("$__all")));
    }

    /** A row after the other, and in each as many panels beside each other as there is room for. */
    private List<Map<String, Object>> laidOut() {
        List<Map<String, Object>> all = new ArrayList<>();
        int id = 1;
        int y = 0;
        for (Row row : rows) {
            all.add(map("id", id++, "type", "row", "title", row.title(), "collapsed", false, "gridPos",
                    position(0, y, COLUMNS, 1), "panels", List.of()));
            y++;
            int x = 0;
            int height = 0;
            for (Panel panel : row.panels()) {
                if (x + panel.kind().width() > COLUMNS) {
                    x = 0;
                    y += height;
                    height = 0;
                }
                all.add(panel(id++, panel, position(x, y, panel.kind().width(), panel.kind().height())));
                x += panel.kind().width();
                height = Math.max(height, panel.kind().height());
            }
            y += height;
        }
        return all;
    }

    private static Map<String, Object> position(int x, int y, int width, int height) {
        return map("x", x, "y", y, "w", width, "h", height);
    }

    private static Map<String, Object> panel(int id, Panel panel, Map<String, Object> position) {
        boolean lines = panel.kind() == Panel.Kind.TIMESERIES;
        Map<String, Object> defaults = map("unit", panel.unit(), "min", 0);
        if (lines) {
            defaults.put("custom", map("drawStyle", "line", "lineWidth", 1, "fillOpacity", 10, "showPoints", "never"));
        }
        List<Map<String, Object>> targets = new ArrayList<>();
        for (Query query : panel.queries()) {
            targets.add(map("refId", String.valueOf((char) ('A' + targets.size())), "datasource", DATA_SOURCE, "expr",
                    query.expression(), "legendFormat", query.legend(), "range", true));
        }
        return map("id", id, "type", lines ? "timeseries" : "stat", "title", panel.title(), "description",
                panel.description(), "datasource", DATA_SOURCE, "gridPos", position, "fieldConfig",
                map("defaults", defaults, "overrides", List.of()), "options", lines ? lineOptions() : statOptions(),
                "targets", targets);
    }

    private static Map<String, Object> lineOptions() {
        return map("legend", map("displayMode", "list", "placement", "bottom", "showLegend", true, "calcs", List.of()),
                "tooltip", map("mode", "multi", "sort", "desc"));
    }

    private static Map<String, Object> statOptions() {
        return map("reduceOptions", map("calcs", List.of("lastNotNull"), "fields", "", "values", false), "graphMode",
                "area", "colorMode", "value", "justifyMode", "auto", "textMode", "auto", "orientation", "auto",
                "wideLayout", true, "showPercentChange", false, "percentChangeColorMode", "standard");
    }
}
