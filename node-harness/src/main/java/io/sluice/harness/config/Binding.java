package io.sluice.harness.config;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.google.common.base.Throwables;
import java.util.Map;

/** Binds checked values to records whose components are named as the keys, in camel case. Stateless. */
final class Binding {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .addModule(new Jdk8Module())
            .build();

    private Binding() {}

    static <T> T bind(Map<String, Object> values, Class<T> type) {
        try {
            return MAPPER.convertValue(values, type);
        } catch (IllegalArgumentException e) {
            throw Throwables.getRootCause(e) instanceof ConfigException contradiction
                    ? contradiction
                    : new ConfigException(String.valueOf(e.getMessage()), e);
        }
    }
}
