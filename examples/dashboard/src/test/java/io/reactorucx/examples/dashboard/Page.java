package io.reactorucx.examples.dashboard;

import static org.awaitility.Awaitility.await;

import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The live page in a browser. */
final class Page implements AutoCloseable {

    private static final Duration LIMIT = TestTime.seconds(40);
    private static final Duration POLL = Duration.ofMillis(20);
    private static final Path SCREENSHOTS = Path.of("target", "screenshots");
    private static final Path DOCUMENTED = Path.of("..", "..", "docs", "guide", "screenshots");
    /** The pictures of the documentation, and how much of their height it shows. */
    private static final Map<String, Integer> CHOSEN = Map.of("connected-light-1280", 712, "lost-dark-390", 618);

    private final Browser browser;

    private Page(Browser browser) {
        this.browser = browser;
    }

    static Page open(Path profile, String address) throws IOException {
        Browser browser = Browser.start(profile, SCREENSHOTS);
        browser.show(1280, "light");
        browser.open(address);
        return new Page(browser);
    }

    void awaitState(String state) {
        await().atMost(LIMIT).pollInterval(POLL).until(() ->
                state.equals(browser.run("return document.getElementById('state').dataset.state")));
    }

    /** Waits until the page shows a sample that was taken after a time, in ms since the epoch. */
    void awaitSampleAfter(long time) {
        await().atMost(LIMIT).pollInterval(POLL).until(() -> Long.parseLong(
                browser.<String>run("return document.body.dataset.time ?? '0'")) > time);
    }

    String alarm() {
        return browser.run("const alarm = document.getElementById('alarm'); return alarm.hidden ? '' : "
                + "alarm.textContent");
    }

    String theme() {
        return browser.run("return document.documentElement.dataset.theme");
    }

    void clickTheme() {
        browser.run("document.getElementById('theme').click()");
    }

    void show(int width, String theme) {
        browser.show(width, theme);
        await().atMost(LIMIT).pollInterval(POLL).until(() -> theme.equals(theme()) && chartsFill());
    }

    private boolean chartsFill() {
        return browser.<Boolean>run("""
                return [...document.querySelectorAll('.chart')].every(chart => {
                  const place = chart.querySelector('.plot').clientWidth;
                  return place > 0 && Math.abs(chart.plot.width - place) <= 1;
                })""");
    }

    void screenshot(String name) throws IOException {
        browser.screenshot(SCREENSHOTS.resolve(name + ".png"), Integer.MAX_VALUE);
        if (CHOSEN.containsKey(name) && System.getProperty("screenshots.write") != null) {
            Files.createDirectories(DOCUMENTED);
            browser.screenshot(DOCUMENTED.resolve(name + ".png"), CHOSEN.get(name));
        }
    }

    List<String> complaints() {
        return browser.complaints();
    }

    /** {@return the addresses of all that the page has loaded} */
    List<String> addresses() {
        return browser.run("return performance.getEntriesByType('resource').map(entry => entry.name)");
    }

    /** {@return what a reader cannot read: text that is cut, faint, or beside the screen} */
    List<String> faultsOfLayout(int width) {
        return browser.run("""
                const faults = [];
                if (document.documentElement.scrollWidth > arguments[0]) {
                  faults.push('the page is ' + document.documentElement.scrollWidth + ' px wide');
                }
                function brightness(text) {
                  const [red, green, blue] = text.match(/[0-9.]+/g).map(part => {
                    const share = part / 255;
                    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
                  });
                  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
                }
                function behind(element) {
                  const color = getComputedStyle(element).backgroundColor;
                  return color.startsWith('rgba(0, 0, 0, 0') && element.parentElement
                      ? behind(element.parentElement) : color;
                }
                const texts = [...document.querySelectorAll(
                    'h1, h2, p, .label, .value, figcaption span, dt, dd, button')]
                    .filter(element => element.offsetParent !== null && element.textContent.trim() !== '');
                for (const element of texts) {
                  const box = element.getBoundingClientRect();
                  const name = element.textContent.trim();
                  if (box.right > arguments[0] + 0.5 || box.left < -0.5 || element.scrollWidth > element.clientWidth + 1
                      && getComputedStyle(element).display !== 'inline') {
                    faults.push(name + ' is cut');
                  }
                  const parent = element.parentElement.getBoundingClientRect();
                  if (box.right > parent.right + 1) {
                    faults.push(name + ' is wider than its place');
                  }
                  const both = [brightness(getComputedStyle(element).color), brightness(behind(element))];
                  const contrast = (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
                  if (contrast < 4.5) {
                    faults.push(name + ' has a contrast of ' + contrast.toFixed(2));
                  }
                }
                if (texts.length < 40) {
                  faults.push('only ' + texts.length + ' texts');
                }
                return faults;""", width);
    }

    /** {@return the totals that the page shows} */
    Map<Figure, Double> totals() {
        Map<String, String> shown = browser.run("return Object.fromEntries([...document.querySelectorAll("
                + "'[data-figure]')].map(each => [each.dataset.figure, each.dataset.value]))");
        Map<Figure, Double> totals = new EnumMap<>(Figure.class);
        shown.forEach((figure, value) -> totals.put(Figure.valueOf(figure), Double.valueOf(value)));
        return totals;
    }

    /** {@return tiles whose text is not their value, by more than a rounded digit} */
    List<String> tilesThatSayOtherThanTheirValue() {
        return browser.run("""
                const units = {'k': 1e3, 'M': 1e6, 'G': 1e9, 'B': 1, 'KiB': 1024, 'MiB': 1024 ** 2, 'GiB': 1024 ** 3,
                  '%': 0.01, 'µs': 1e-6, 'ms': 1e-3, 's': 1, '': 1};
                return [...document.querySelectorAll('[data-tile]')].filter(tile => {
                  const [number, unit = ''] = tile.textContent.replace('/s', '').split(' ');
                  const said = Number(number) * units[unit];
                  const value = Number(tile.dataset.value);
                  return !(Math.abs(said - value) <= 0.006 * Math.abs(value) + 1e-9);
                }).map(tile => tile.dataset.tile + ': ' + tile.textContent + ' for ' + tile.dataset.value);""");
    }

    /**
     * A line of a chart.
     *
     * @param times of its points, in s since the epoch
     * @param values of its points; null for a gap
     */
    record ChartLine(List<Number> times, List<Number> values) {

        private static final long STEP_MILLIS = 1_100;

        /** The values of the points within a time, in ms. */
        List<Double> between(long from, long to) {
            List<Double> found = new ArrayList<>();
            for (int i = 0; i < times.size(); i++) {
                long time = Math.round(times.get(i).doubleValue() * 1000);
                if (time >= from && time <= to && values.get(i) != null) {
                    found.add(values.get(i).doubleValue());
                }
            }
            return found;
        }

        List<Double> around(long time) {
            return between(time - STEP_MILLIS, time + STEP_MILLIS);
        }

        /** How much a rate adds up to within a time, in ms. A point is the mean since the point before it. */
        double sumOver(long from, long to) {
            double sum = 0;
            for (int i = 1; i < times.size(); i++) {
                double start = Math.max(times.get(i - 1).doubleValue(), from / 1000.0);
                double end = Math.min(times.get(i).doubleValue(), to / 1000.0);
                if (end > start && values.get(i) != null) {
                    sum += (end - start) * values.get(i).doubleValue();
                }
            }
            return sum;
        }
    }

    /** Returns a line by the name of its chart and its number in it. */
    ChartLine line(String name) {
        String[] parts = name.split("/");
        List<List<Number>> data = browser.run("const data = document.getElementById(arguments[0]).plot.data;"
                + " return [[...data[0]], [...data[arguments[1] + 1]]]", parts[0], Integer.parseInt(parts[1]));
        return new ChartLine(data.get(0), data.get(1));
    }

    @Override
    public void close() {
        browser.close();
    }
}
