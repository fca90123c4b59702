package io.reactorucx.core.ffi;

import java.io.IOException;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.StructLayout;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The layouts and constants of the generated classes of this package, found by reflection. */
final class Bindings {

    private Bindings() {
    }

    /** A member of a struct; the path of one in a nested struct contains dots. */
    record Member(String path, long offset, long size) {
        long end() {
            return offset + size;
        }
    }

    /** A struct with all members, and the C expressions that ask for the same numbers. */
    record Struct(String name, long size, List<Member> members) {
        String sizeOf() {
            return "sizeof(" + type() + ")";
        }

        String sizeOf(Member member) {
            return "sizeof(((" + type() + "*)0)->" + member.path + ")";
        }

        String offsetOf(Member member) {
            return "offsetof(" + type() + ", " + member.path + ")";
        }

        Stream<String> expressions() {
            return Stream.concat(Stream.of(sizeOf()),
                    members.stream().flatMap(member -> Stream.of(offsetOf(member), sizeOf(member))));
        }

        /** A struct without a tag is known by its typedef, whose name ends in _t. */
        private String type() {
            return name.endsWith("_t") ? name : "struct " + name;
        }
    }

    /** The classes of this package that have a {@code layout()}, by name. */
    static SortedMap<String, Struct> structs() throws IOException, ReflectiveOperationException {
        SortedMap<String, Struct> structs = new TreeMap<>();
        for (String name : topLevelClasses()) {
            for (Method method : Class.forName(Bindings.class.getPackageName() + "." + name).getDeclaredMethods()) {
                if (method.getName().equals("layout") && method.getParameterCount() == 0) {
                    GroupLayout layout = (GroupLayout) method.invoke(null);
                    structs.put(name, new Struct(name, layout.byteSize(), members(layout, "", 0)));
                }
            }
        }
        return structs;
    }

    /** The constants of {@code ucx_h}, by name. */
    static SortedMap<String, Number> constants() throws ReflectiveOperationException {
        SortedMap<String, Number> constants = new TreeMap<>();
        for (Method method : ucx_h.class.getMethods()) {
            if (method.getParameterCount() == 0 && method.getName().matches("[A-Z][A-Z0-9_]*")) {
                Object value = method.invoke(null);
                constants.put(method.getName(), value instanceof MemorySegment pointer ? Long.valueOf(pointer.address())
                        : (Number) value);
            }
        }
        return constants;
    }

    private static List<String> topLevelClasses() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(location()).getParent())) {
            return files.map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith(".class") && !file.contains("$"))
                    .map(file -> file.substring(0, file.length() - ".class".length()))
                    .toList();
        }
    }

    private static URI location() {
        try {
            return ucx_h.class.getResource("ucx_h.class").toURI();
        } catch (URISyntaxException e) {
            throw new AssertionError("a class loader gives valid addresses", e);
        }
    }

    private static List<Member> members(GroupLayout group, String prefix, long start) {
        List<Member> members = new ArrayList<>();
        long offset = start;
        for (MemoryLayout member : group.memberLayouts()) {
            if (!(member instanceof PaddingLayout)) {
                String path = prefix + member.name().orElseThrow();
                members.add(new Member(path, offset, member.byteSize()));
                if (member instanceof GroupLayout nested) {
                    members.addAll(members(nested, path + ".", offset));
                }
            }
            offset += group instanceof StructLayout ? member.byteSize() : 0;
        }
        return members;
    }
}
