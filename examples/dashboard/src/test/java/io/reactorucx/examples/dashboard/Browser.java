package io.reactorucx.examples.dashboard;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** The system's Chromium without a window. */
final class Browser implements AutoCloseable {

    private static final List<String> OPTIONS = List.of("--headless", "--no-sandbox", "--disable-gpu",
            "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
            "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars");
    private static final int HEIGHT = 900;

    /** It warns that it does not know this Chromium's protocol in all its parts; few are used. The field holds it. */
    private static final Logger SELENIUM = Logger.getLogger("org.openqa.selenium");

    private final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    private static Optional<Path> program(String name) {
        return Stream.of(System.getenv("PATH").split(":")).map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable).findFirst();
    }

    /** {@return why it cannot start here, empty if it can} */
    static Optional<String> obstacle() {
        if (program("chromium").isEmpty() || program("chromedriver").isEmpty()) {
            return Optional.of("chromium and chromedriver are not installed (Debian's chromium, chromium-driver)");
        }
        try {
            InetAddress.getByName("localhost");
            return Optional.empty();
        } catch (UnknownHostException e) {
            return Optional.of("localhost, where chromedriver looks for Chromium, has no address (no /etc/hosts?)");
        }
    }

    /** Starts it; nothing is downloaded, because both programs are named. */
    static Browser start(Path profile, Path folder) throws IOException {
        SELENIUM.setLevel(Level.SEVERE);
        Files.createDirectories(folder);
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(program("chromium").orElseThrow().toFile());
        options.addArguments(OPTIONS);
        options.addArguments("--user-data-dir=" + profile);
        options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(program("chromedriver").orElseThrow().toFile()).usingAnyFreePort()
                .withLogFile(new File(folder.toFile(), "chromedriver.log")).build();
        return new Browser(new ChromeDriver(service, options));
    }

    void open(String address) {
        driver.get(address);
    }

    /** {@return what a script returns} */
    @SuppressWarnings("unchecked")
    <T> T run(String script, Object... arguments) {
        return (T) driver.executeScript(script, arguments);
    }

    /** Shows the page as on a screen of this width, to a reader who prefers this theme. */
    void show(int width, String theme) {
        driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", HEIGHT, "deviceScaleFactor", 1, "mobile", width < 800));
        driver.executeCdpCommand("Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", theme))));
    }

    /** Writes the page, from its beginning on, as a PNG. */
    void screenshot(Path file, int maxHeight) throws IOException {
        Map<String, Object> png = driver.executeCdpCommand("Page.captureScreenshot",
                Map.of("format", "png", "captureBeyondViewport", true, "clip", clip(maxHeight)));
        Files.write(file, Base64.getDecoder().decode((String) png.get("data")));
    }

    private Map<String, Object> clip(int maxHeight) {
        Number width = run("return document.documentElement.clientWidth");
        Number height = run("return document.documentElement.scrollHeight");
        return Map.of("x", 0, "y", 0, "width", width, "height", Math.min(height.intValue(), maxHeight),
                "scale", 1);
    }

    /** {@return what the browser has complained of since the last call} */
    List<String> complaints() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                .map(entry -> entry.getLevel() + " " + entry.getMessage()).toList();
    }

    @Override
    public void close() {
        driver.quit();
    }
}
