package io.reactorucx.core.internal.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder like that in which the kernel describes an RDMA device. */
record SysfsDevice(Path folder) {

    static SysfsDevice in(Path devices, String name) {
        return new SysfsDevice(directory(devices.resolve(name)));
    }

    SysfsDevice port(int number, String state, String linkLayer) {
        Path port = directory(folder.resolve("ports").resolve(Integer.toString(number)));
        write(port.resolve("state"), state);
        write(port.resolve("link_layer"), linkLayer);
        return this;
    }

    SysfsDevice networkDevice(String name) {
        write(folder.resolve("parent"), name);
        return this;
    }

    SysfsDevice driver(String name) {
        try {
            Files.createSymbolicLink(directory(folder.resolve("device")).resolve("driver"),
                    Path.of("../../../../bus/pci/drivers").resolve(name));
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path directory(Path path) {
        try {
            return Files.createDirectories(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
