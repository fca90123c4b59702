package io.reactorucx.testsupport;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A Java program in a process of its own, with the Java and the class path of this one: for code that can run only once
 * in a process, or that ends the process. It lives for seconds, so its JVM compiles for a fast start.
 */
public final class ChildJvm extends ChildProcess {

    /** Collects what a child is started with. */
    public static final class Builder {

        private final String mainClass;
        private final List<String> prefix = new ArrayList<>();
        private final List<String> options = new ArrayList<>();
        private final List<String> arguments = new ArrayList<>();
        private final Map<String, Optional<String>> environment = new HashMap<>();
        private boolean nativeAccess = true;
        private Path directory = Path.of("");

        private Builder(String mainClass) {
            this.mainClass = mainClass;
        }

        /**
         * Starts the JVM by another command, which gets Java's command as its last arguments.
         *
         * @param command such as {@code ip netns exec name}
         * @return this
         */
        public Builder within(String... command) {
            prefix.addAll(List.of(command));
            return this;
        }

        /**
         * Adds options of the JVM.
         *
         * @param more options, such as {@code -Dkey=value}
         * @return this
         */
        public Builder options(String... more) {
            options.addAll(List.of(more));
            return this;
        }

        /**
         * Adds arguments of the program.
         *
         * @param more arguments
         * @return this
         */
        public Builder arguments(String... more) {
            arguments.addAll(List.of(more));
            return this;
        }

        /**
         * Sets a variable of the environment; the others are inherited.
         *
         * @param name its name
         * @param value its value
         * @return this
         */
        public Builder environment(String name, String value) {
            environment.put(name, Optional.of(value));
            return this;
        }

        /**
         * Takes a variable out of the environment.
         *
         * @param name its name
         * @return this
         */
        public Builder withoutEnvironment(String name) {
            environment.put(name, Optional.empty());
            return this;
        }

        /**
         * Sets the working directory, which is this process's own otherwise.
         *
         * @param path the directory
         * @return this
         */
        public Builder directory(Path path) {
            directory = path;
            return this;
        }

        /**
         * Leaves out {@code --enable-native-access}.
         *
         * @return this
         */
        public Builder withoutNativeAccess() {
            nativeAccess = false;
            return this;
        }

        /**
         * Starts the child.
         *
         * @return the child, to be closed by the caller
         */
        public ChildJvm start() {
            List<String> command = new ArrayList<>(prefix);
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            if (nativeAccess) {
                command.add("--enable-native-access=ALL-UNNAMED");
            }
            command.add("-XX:TieredStopAtLevel=1");
            if (options.stream().noneMatch(each -> each.matches("-XX:[+]Use\\w+GC"))) {
                command.add("-XX:+UseSerialGC");
            }
            command.add("-D" + TestTime.PROPERTY + "=" + TestTime.slowness());
            command.addAll(options);
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass));
            command.addAll(arguments);
            ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toAbsolutePath().toFile());
            environment.forEach((name, value) -> value.ifPresentOrElse(text -> builder.environment().put(name, text),
                    () -> builder.environment().remove(name)));
            return new ChildJvm(builder);
        }

        /**
         * Starts the child and waits until it has ended.
         *
         * @return how it ended
         */
        public Result run() {
            try (ChildJvm child = start()) {
                return child.result();
            }
        }
    }

    private ChildJvm(ProcessBuilder builder) {
        super(builder);
    }

    /**
     * A child with a main class.
     *
     * @param mainClass its main class, may be package-private
     * @return a builder
     */
    public static Builder of(Class<?> mainClass) {
        return new Builder(mainClass.getName());
    }
}
