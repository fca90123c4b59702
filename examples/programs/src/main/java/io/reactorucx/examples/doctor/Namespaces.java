package io.reactorucx.examples.doctor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Checks whether namespaces keep shared memory from reaching other processes of the host. */
record Namespaces(Path directory) implements Check {

    /** The inode numbers of the kernel's initial namespaces (PROC_*_INIT_INO). */
    private static final List<Namespace> ALL = List.of(new Namespace("pid", 4026531836L,
            "Processes outside see other process ids: cma and posix shared memory do not reach them",
            "Let peers share it (docker run --pid=container:<name>, shareProcessNamespace in Kubernetes), or set"
            + " UCX_POSIX_USE_PROC_LINK=n"), new Namespace("ipc", 4026531839L,
            "sysv shared memory does not reach processes outside",
            "Let peers share it: docker run --ipc=container:<name> or --ipc=host"),
            new Namespace("user", 4026531837L, "cma does not reach processes of another user namespace",
            "Let peers run in one user namespace"));

    private record Namespace(String name, long initial, String meaning, String remedy) {
    }

    @Override
    public String name() {
        return "namespaces";
    }

    @Override
    public List<Finding> findings() {
        List<Finding> own = ALL.stream().map(namespace -> Map.entry(namespace, number(namespace.name())))
                .filter(entry -> entry.getValue() != entry.getKey().initial())
                .map(entry -> Finding.note(name(), "own " + entry.getKey().name() + " namespace " + entry.getValue(),
                entry.getKey().meaning(), entry.getKey().remedy())).toList();
        return own.isEmpty() ? List.of(Finding.ok(name(), "the host's pid, ipc and user namespaces",
                "Shared memory reaches all of this host")) : own;
    }

    private long number(String namespace) {
        try {
            // Such as pid:[4026531836].
            return Long.parseLong(Files.readSymbolicLink(directory.resolve(namespace)).toString()
                    .replaceAll("\\D", ""));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
