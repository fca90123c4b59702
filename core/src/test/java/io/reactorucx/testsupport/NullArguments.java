package io.reactorucx.testsupport;

import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Calls public methods and constructors with null for each parameter that must not be null, and as an element of lists,
 * sets and arrays, and finds those that do not name it: the text that the JDK makes names code, not an argument.
 */
public final class NullArguments {

    private static final String OF_THE_JDK = "Cannot ";
    /** How the records are named that users get and do not make. */
    private static final Set<String> OF_RESULTS = Set.of("Attributes", "Statistics", "Info", "Support", "Stall",
            "Health", "TaggedMessage", "TaggedBuffer", "Descriptor");
    private final Map<Class<?>, Object> samples = new HashMap<>(Map.ofEntries(
            Map.entry(int.class, 8), Map.entry(long.class, 1L), Map.entry(short.class, (short) 1),
            Map.entry(byte.class, (byte) 1), Map.entry(boolean.class, true), Map.entry(double.class, 1.0),
            Map.entry(String.class, "name"), Map.entry(Duration.class, Duration.ofSeconds(1)),
            Map.entry(byte[].class, new byte[] {1}), Map.entry(List.class, List.of()), Map.entry(Set.class, Set.of()),
            Map.entry(Map.class, Map.of())));
    private final UnaryOperator<@Nullable Object> outcome;
    private final List<String> wrong = new ArrayList<>();
    private int tried;

    /**
     * Makes an empty list of calls.
     *
     * @param outcome waits for what a call has returned, a publisher for example, and throws what it fails with
     */
    public NullArguments(UnaryOperator<@Nullable Object> outcome) {
        this.outcome = outcome;
    }

    /**
     * Adds an object to call, and to be given as an argument.
     *
     * @param type the class or interface that it is used for
     * @param sample the object
     * @param <T> its type
     * @return this
     */
    public <T> NullArguments with(Class<T> type, T sample) {
        samples.put(type, sample);
        return this;
    }

    /**
     * Calls what types have that is public; methods of objects where there is a sample.
     *
     * @param types the types
     * @return this
     */
    public NullArguments call(Stream<? extends Class<?>> types) {
        types.filter(type -> Modifier.isPublic(type.getModifiers())).forEach(type -> {
            if (!Throwable.class.isAssignableFrom(type) && OF_RESULTS.stream().noneMatch(type.getName()::endsWith)) {
                for (Constructor<?> each : type.getConstructors()) {
                    callEach(each, given -> each.newInstance(given));
                }
            }
            Object target = sample(type);
            for (Method each : type.getDeclaredMethods()) {
                boolean isStatic = Modifier.isStatic(each.getModifiers());
                if (Modifier.isPublic(each.getModifiers()) && !each.isSynthetic() && !each.getName().equals("equals")
                        && (isStatic || target != null && !Proxy.isProxyClass(target.getClass()))) {
                    callEach(each, given -> each.invoke(isStatic ? null : target, given));
                }
            }
        });
        return this;
    }

    /**
     * Returns what did not name its argument.
     *
     * @return a line for each
     */
    public List<String> wrong() {
        return List.copyOf(wrong);
    }

    /**
     * Returns how many calls have been made.
     *
     * @return their number
     */
    public int tried() {
        return tried;
    }

    private interface Call {

        Object call(@Nullable Object[] given) throws ReflectiveOperationException;
    }

    private void callEach(Executable method, Call call) {
        Parameter[] parameters = method.getParameters();
        AnnotatedType[] types = method.getAnnotatedParameterTypes();
        for (int i = 0; i < parameters.length; i++) {
            if (parameters[i].getType().isPrimitive() || isNullable(types[i])) {
                continue;
            }
            Object[] given = Arrays.stream(parameters).map(each -> sampleOf(each)).toArray();
            for (Object missing : missing(parameters[i].getType())) {
                given[i] = missing;
                tried++;
                String said = said(call, given);
                if (said != null) {
                    wrong.add(method.getDeclaringClass().getSimpleName() + "." + method.getName()
                            + Arrays.stream(method.getParameterTypes()).map(Class::getSimpleName).toList() + " with "
                            + (missing == null ? "null" : "[null]") + " for the parameter " + (i + 1) + ": " + said);
                }
            }
        }
    }

    /** Returns null, and what holds it. */
    private static List<@Nullable Object> missing(Class<?> type) {
        List<@Nullable Object> all = new ArrayList<>();
        all.add(null);
        if (type == List.class) {
            all.add(Collections.singletonList(null));
        } else if (type == Set.class) {
            all.add(Collections.singleton(null));
        } else if (type.isArray() && !type.getComponentType().isPrimitive()) {
            all.add(Array.newInstance(type.getComponentType(), 1));
        }
        return all;
    }

    private static boolean isNullable(AnnotatedType type) {
        return type.isAnnotationPresent(Nullable.class);
    }

    /** Returns what is wrong with a call's end, null if nothing is. */
    private @Nullable String said(Call call, @Nullable Object[] given) {
        try {
            Object returned = outcome.apply(call.call(given));
            return "taken, and gave " + returned;
        } catch (InvocationTargetException e) {
            return said(e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        } catch (RuntimeException e) {
            return said(e);
        }
    }

    private static @Nullable String said(Throwable error) {
        String message = error.getMessage();
        return error instanceof NullPointerException && message != null && !message.startsWith(OF_THE_JDK) ? null
                : error.toString();
    }

    /** Returns an argument: sets of constants hold the first one. */
    private @Nullable Object sampleOf(Parameter parameter) {
        if (parameter.getType() == Set.class && parameter.getParameterizedType() instanceof ParameterizedType set
                && set.getActualTypeArguments()[0] instanceof Class<?> element && element.isEnum()) {
            return Set.of(element.getEnumConstants()[0]);
        }
        return sample(parameter.getType());
    }

    private @Nullable Object sample(Class<?> type) {
        Object known = samples.get(type);
        if (known == null) {
            known = made(type);
            if (known != null) {
                samples.put(type, known);
            }
        }
        return known;
    }

    private static @Nullable Object made(Class<?> type) {
        if (type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        if (type.isInterface() && !type.isSealed()) {
            return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, NullArguments::answer);
        }
        for (Field each : type.getFields()) {
            if (Modifier.isStatic(each.getModifiers()) && type.isAssignableFrom(each.getType())) {
                try {
                    return each.get(null);
                } catch (IllegalAccessException e) {
                    throw new AssertionError(e);
                }
            }
        }
        return null;
    }

    private static @Nullable Object answer(Object proxy, Method method, Object @Nullable [] given) {
        return switch (method.getName()) {
            case "hashCode" -> System.identityHashCode(proxy);
            case "equals" -> given != null && proxy == given[0];
            case "toString" -> "a sample";
            default -> null;
        };
    }
}
