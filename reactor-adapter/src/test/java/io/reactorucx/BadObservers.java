package io.reactorucx;

import static io.reactorucx.BadInput.thrown;

import io.reactorucx.transport.WiretapFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.event.Level;

/** Wrong wiretaps, observers, hooks and thresholds. */
final class BadObservers {

    private static final Class<IllegalArgumentException> ILLEGAL = IllegalArgumentException.class;
    private static final Class<NullPointerException> MISSING = NullPointerException.class;

    private final List<BadInput> cases = new ArrayList<>();

    private BadObservers() {
        hooks();
        client();
        server();
        threshold();
    }

    static List<BadInput> all() {
        return new BadObservers().cases;
    }

    private void hooks() {
        cases.add(thrown("UcxClient.doOnHandlerError(BiConsumer)", "null", MISSING,
                tried -> tried.client().doOnHandlerError(null), "action"));
        cases.add(thrown("UcxServer.doOnHandlerError(BiConsumer)", "null", MISSING,
                tried -> tried.server().doOnHandlerError(null), "action"));
        cases.add(thrown("UcxClient.observe(UcxObserver)", "null", MISSING, tried -> tried.client().observe(null),
                "observer"));
        cases.add(thrown("UcxServer.observe(UcxObserver)", "null", MISSING, tried -> tried.server().observe(null),
                "observer"));
    }

    private void client() {
        String simple = "UcxClient.wiretap(String,Level)";
        cases.add(thrown(simple, "no category", MISSING, tried -> tried.client().wiretap(null, Level.INFO),
                "category"));
        cases.add(thrown(simple, "no level", MISSING, tried -> tried.client().wiretap("a", null), "level"));
        String full = "UcxClient.wiretap(String,Level,WiretapFormat,int)";
        cases.add(thrown(full, "no format", MISSING, tried -> tried.client().wiretap("a", Level.INFO, null, 1),
                "format"));
        for (int bytes : new int[] {-1, 65_537}) {
            cases.add(thrown(full, bytes + " bytes", ILLEGAL,
                    tried -> tried.client().wiretap("a", Level.INFO, WiretapFormat.HEX, bytes), "maxBytes " + bytes,
                    "0..65536"));
        }
    }

    private void server() {
        String simple = "UcxServer.wiretap(String,Level)";
        cases.add(thrown(simple, "blank category", ILLEGAL, tried -> tried.server().wiretap(" ", Level.INFO),
                "category ' '"));
        String full = "UcxServer.wiretap(String,Level,WiretapFormat,int)";
        for (int bytes : new int[] {-1, 65_537}) {
            cases.add(thrown(full, bytes + " bytes", ILLEGAL,
                    tried -> tried.server().wiretap("a", Level.INFO, WiretapFormat.HEX, bytes), "maxBytes " + bytes,
                    "0..65536"));
        }
    }

    private void threshold() {
        String threshold = "UcxResourcesBuilder.stallThreshold(Duration)";
        cases.add(thrown(threshold, "null", MISSING, tried -> UcxResources.builder().stallThreshold(null),
                "threshold"));
        for (Duration wrong : List.of(Duration.ofNanos(-1), Duration.ofNanos(999_999), Duration.ofHours(2))) {
            cases.add(thrown(threshold, wrong.toString(), ILLEGAL,
                    tried -> UcxResources.builder().stallThreshold(wrong), "stallThreshold " + wrong, "1 ms..PT1H"));
        }
    }
}
