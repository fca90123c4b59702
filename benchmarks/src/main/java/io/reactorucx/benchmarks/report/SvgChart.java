package io.reactorucx.benchmarks.report;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.GraphicsEnvironment;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Draws lines over logarithmic axes. The same figures and fonts give the same file. */
final class SvgChart {

    private static final int WIDTH = 760;
    private static final int HEIGHT = 440;
    private static final int GREY = 0xe0e0e0;
    /** Maximum of names in a row of the legend. */
    private static final int MAX_IN_A_ROW = 3;
    private static final Pattern FINER_THAN_A_TENTH = Pattern.compile("(\\d\\.\\d)\\d+");
    /** Colours that most people can distinguish on white. */
    private static final Color[] COLORS = {new Color(0x0072b2), new Color(0xd55e00), new Color(0x009e73),
        new Color(0xcc79a7), new Color(0xe69f00), new Color(0x56b4e9)};

    private SvgChart() {
    }

    /** {@return whether a font is installed} */
    static boolean hasFonts() {
        try {
            return GraphicsEnvironment.getLocalGraphicsEnvironment().getAvailableFontFamilyNames().length > 0;
        } catch (LinkageError | InternalError | RuntimeException e) {
            return false; // So a JDK without a screen says that fontconfig or its fonts are missing.
        }
    }

    /** {@return the text of the file; letters are shapes with a precision of a tenth of a pixel} */
    static String draw(ChartKind kind, Map<String, Map<Double, Double>> lines) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        VectorGraphicsEncoder.saveVectorGraphic(chart(kind, lines), out,
                VectorGraphicsEncoder.VectorGraphicsFormat.SVG);
        return FINER_THAN_A_TENTH.matcher(out.toString(StandardCharsets.UTF_8)).replaceAll("$1");
    }

    static XYChart chart(ChartKind kind, Map<String, Map<Double, Double>> lines) {
        XYChart chart = new XYChartBuilder().width(WIDTH).height(HEIGHT).title(kind.title())
                .xAxisTitle(kind.acrossTitle()).yAxisTitle(kind.upTitle()).build();
        style(chart.getStyler(), lines.size());
        List<Double> all = new ArrayList<>();
        lines.forEach((name, points) -> {
            // A logarithmic axis has no zero.
            List<Map.Entry<Double, Double>> shown = points.entrySet().stream()
                    .filter(point -> point.getKey() > 0 && point.getValue() > 0).toList();
            if (!shown.isEmpty()) {
                chart.addSeries(name, shown.stream().map(Map.Entry::getKey).toList(),
                        shown.stream().map(Map.Entry::getValue).toList()).setMarker(SeriesMarkers.CIRCLE)
                        .setLineStyle(new BasicStroke(2));
                shown.forEach(point -> all.add(point.getValue()));
            }
        });
        chart.getStyler().setYAxisMin(Math.pow(10,
                Math.floor(Math.log10(all.stream().min(Double::compare).orElse(1.0)))));
        chart.getStyler().setYAxisMax(Math.pow(10,
                Math.ceil(Math.log10(all.stream().max(Double::compare).orElse(10.0)))));
        return chart;
    }

    /** A white background, readable on a dark page as well. */
    private static void style(XYStyler styler, int lines) {
        styler.setLocale(Locale.ROOT);
        styler.setXAxisLogarithmic(true);
        styler.setYAxisLogarithmic(true);
        styler.setXAxisDecimalPattern("#,##0.###");
        styler.setYAxisDecimalPattern("#,##0.######");
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setPlotBackgroundColor(Color.WHITE);
        styler.setPlotBorderVisible(false);
        styler.setPlotGridLinesColor(new Color(GREY));
        styler.setPlotGridLinesStroke(new BasicStroke(1));
        styler.setLegendPosition(Styler.LegendPosition.OutsideS);
        // A longer row would end beyond the picture.
        styler.setLegendLayout(lines > MAX_IN_A_ROW ? Styler.LegendLayout.Vertical : Styler.LegendLayout.Horizontal);
        styler.setLegendBorderColor(Color.WHITE);
        styler.setSeriesColors(COLORS);
        styler.setMarkerSize(7);
        styler.setBaseFont(new Font(Font.SANS_SERIF, Font.PLAIN, 12));
    }
}
