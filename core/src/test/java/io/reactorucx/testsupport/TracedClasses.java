package io.reactorucx.testsupport;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.net.URL;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Loads the classes of this project anew, and lets each of their methods tell {@link WalkRecorder} that it was entered;
 * constructors and the classes of the tests do not. All other classes come from the parent, and so does this package,
 * which the traced classes share with the test.
 */
final class TracedClasses extends ClassLoader {

    /** A method of at most so many instructions is an accessor or passes a call on: no walk counts it. */
    private static final int SHORT_METHOD = 5;
    private static final String PROJECT = "io.reactorucx.";
    private static final String SHARED = TracedClasses.class.getPackageName() + ".";
    private static final ClassDesc RECORDER = ClassDesc.of(WalkRecorder.class.getName());
    private static final CodeTransform ENTRY = new CodeTransform() {
        @Override
        public void atStart(CodeBuilder code) {
            code.invokestatic(RECORDER, "entered", MethodTypeDesc.of(ConstantDescs.CD_void));
        }

        @Override
        public void accept(CodeBuilder code, CodeElement element) {
            code.with(element);
        }
    };

    private final String tests;
    private final ClassFile format;
    private final Map<String, MethodEntry> methods = new ConcurrentHashMap<>();

    /**
     * Makes a loader.
     *
     * @param test a class of the tests; what lies in the same folder is not traced
     */
    TracedClasses(Class<?> test) {
        super("traced", test.getClassLoader());
        String file = fileOf(test.getName());
        String url = Objects.requireNonNull(getResource(file), file).toString();
        tests = url.substring(0, url.length() - file.length());
        format = ClassFile.of(ClassFile.ClassHierarchyResolverOption.of(
                ClassHierarchyResolver.ofResourceParsing(getParent())
                        .orElse(ClassHierarchyResolver.defaultResolver())));
    }

    /** Returns whether the method of a frame is traced. */
    boolean isTraced(StackWalker.StackFrame frame) {
        return frame.getClassName().startsWith(PROJECT) && methods.containsKey(key(frame));
    }

    /** Returns the method of a frame, which has to be traced. */
    MethodEntry entry(StackWalker.StackFrame frame) {
        return Objects.requireNonNull(methods.get(key(frame)));
    }

    private static String key(StackWalker.StackFrame frame) {
        return key(frame.getClassName(), frame.getMethodName(), frame.getDescriptor());
    }

    private static String key(String className, String method, String descriptor) {
        return className + '.' + method + descriptor;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(PROJECT) || name.startsWith(SHARED)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : findClass(name);
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        URL url = getResource(fileOf(name));
        if (url == null) {
            throw new ClassNotFoundException(name);
        }
        try (InputStream in = url.openStream()) {
            byte[] original = in.readAllBytes();
            byte[] made = url.toString().startsWith(tests) ? original : traced(name, original);
            return defineClass(name, made, 0, made.length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] traced(String name, byte[] original) {
        return format.transformClass(format.parse(original), ClassTransform.transformingMethodBodies(method -> {
            String methodName = method.methodName().stringValue();
            if (methodName.startsWith("<")) {
                return false;
            }
            methods.put(key(name, methodName, method.methodType().stringValue()),
                    new MethodEntry(name.replaceFirst("\\$.*", ""), methodName, !isShort(method)));
            return true;
        }, ENTRY));
    }

    private static boolean isShort(MethodModel method) {
        return method.code().stream().flatMap(code -> code.elementStream()).filter(Instruction.class::isInstance)
                .count() <= SHORT_METHOD;
    }

    private static String fileOf(String className) {
        return className.replace('.', '/') + ".class";
    }
}
