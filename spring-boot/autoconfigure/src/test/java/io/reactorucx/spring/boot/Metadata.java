package io.reactorucx.spring.boot;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the build has written about the properties. */
final class Metadata {

    private static final String FILE = "/META-INF/spring-configuration-metadata.json";

    private Metadata() {
    }

    /**
     * A property.
     *
     * @param name its name
     * @param type its class
     * @param value its default, empty for none
     * @param description what it does
     */
    record Property(String name, String type, String value, String description) {
    }

    /** Returns all properties, by name. */
    static List<Property> properties() throws IOException {
        List<Property> found = new ArrayList<>();
        try (InputStream in = Objects.requireNonNull(UcxProperties.class.getResourceAsStream(FILE), FILE)) {
            for (JsonNode each : JsonMapper.shared().readTree(in).get("properties")) {
                found.add(new Property(each.get("name").asString(), each.get("type").asString(),
                        each.path("defaultValue").isMissingNode() ? "" : each.get("defaultValue").asString(),
                        each.path("description").asString("")));
            }
        }
        found.sort((one, other) -> one.name().compareTo(other.name()));
        return found;
    }
}
