package io.reactorucx;

import static org.junit.jupiter.api.Assertions.fail;

import java.lang.annotation.Annotation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DynamicTest;
import org.opentest4j.TestAbortedException;
import org.reactivestreams.tck.PublisherVerification;
import org.testng.SkipException;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/**
 * Runs a class of the Reactive Streams TCK, each rule with an object of its own, and reports the rules as tests of
 * JUnit. Those that were skipped are reported together, with the reasons.
 */
final class Tck {

    private static final Map<String, String> REASONS = Map.of(
            "Skipped because tested publisher does NOT implement this OPTIONAL requirement", "optional and not so here",
            PublisherVerification.SKIPPING_NO_ERROR_PUBLISHER_AVAILABLE, "a failure waits for demand",
            "Unable to run this test, as required elements nr", "needs more elements than there can be",
            "Not verified by this TCK", "not verified by this TCK");

    private final Supplier<?> verification;
    private final Runnable afterEach;
    private final List<DynamicTest> checked = new ArrayList<>();
    private final Map<String, List<String>> skipped = new TreeMap<>();

    private Tck(Supplier<?> verification, Runnable afterEach) {
        this.verification = verification;
        this.afterEach = afterEach;
    }

    /**
     * Runs it.
     *
     * @param verification makes an object of a subclass of a verification of the TCK
     * @param afterEach gives back what a rule has left open
     */
    static List<DynamicTest> run(Supplier<?> verification, Runnable afterEach) {
        Tck run = new Tck(verification, afterEach);
        List<Method> rules = methods(verification.get(), Test.class);
        rules.forEach(run::check);
        if (!run.skipped.isEmpty()) {
            run.checked.add(DynamicTest.dynamicTest("skipped", () -> {
                throw new TestAbortedException(run.skippedOf(rules.size()));
            }));
        }
        return run.checked;
    }

    private String skippedOf(int rules) {
        int count = skipped.values().stream().mapToInt(List::size).sum();
        return skipped.entrySet().stream().map(entry -> entry.getKey() + ": " + String.join(", ", entry.getValue()))
                .collect(Collectors.joining("; ", count + " of " + rules + " rules. ", ""));
    }

    private static List<Method> methods(Object object, Class<? extends Annotation> annotation) {
        return Arrays.stream(object.getClass().getMethods()).filter(method -> method.isAnnotationPresent(annotation))
                .sorted(Comparator.comparing(Method::getName)).toList();
    }

    private void check(Method rule) {
        try {
            Object object = verification.get();
            for (Method before : methods(object, BeforeMethod.class)) {
                before.invoke(object);
            }
            try {
                rule.invoke(object);
            } finally {
                afterEach.run();
            }
            checked.add(DynamicTest.dynamicTest(rule.getName(), () -> { }));
        } catch (InvocationTargetException e) {
            ended(rule, e.getCause());
        } catch (IllegalAccessException | RuntimeException | Error e) {
            ended(rule, e);
        }
    }

    private void ended(Method rule, Throwable cause) {
        if (cause instanceof SkipException skip) {
            skipped.computeIfAbsent(reason(skip), any -> new ArrayList<>())
                    .add(rule.getName().replaceAll("^([a-z]+_[a-z0-9]+).*", "$1"));
        } else {
            checked.add(DynamicTest.dynamicTest(rule.getName(), () -> fail(rule.getName(), cause)));
        }
    }

    private static String reason(SkipException skip) {
        String message = String.valueOf(skip.getMessage());
        // The rest names the objects of this very run.
        return REASONS.entrySet().stream().filter(known -> message.startsWith(known.getKey())).map(Map.Entry::getValue)
                .findFirst()
                .orElse(message);
    }
}
