package io.sluice.sstable.component;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AttachedFileTest {
    @ParameterizedTest
    @CsvSource({
        "SAI+aa+users_by_name+ColumnComplete.db, users_by_name",
        "SI_users_by_age.db, users_by_age",
        "SAI+aa+GroupComplete.db,",
        "Scylla.db,",
        "Digest.sha1,"
    })
    void may_be_of_an_index(String name, String index) {
        assertThat(new AttachedFile(name).index()).isEqualTo(Optional.ofNullable(index));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Data.db",
                "data.DB",
                "Attached.db",
                "../x.db",
                "a/b.db",
                "nb-1.db",
                "",
                ".db",
                "x",
                "Data.db.tmp"
            })
    void has_no_name_that_could_be_another_file(String name) {
        assertThat(AttachedFile.isName(name)).isFalse();
        assertThatThrownBy(() -> new AttachedFile(name)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void lies_under_the_name_of_its_sstable() {
        Descriptor descriptor =
                Descriptor.ofFile("nb-7-big-SAI+aa+GroupComplete.db").orElseThrow();

        assertThat(descriptor.fileName(new AttachedFile("Scylla.db"))).isEqualTo("nb-7-big-Scylla.db");
        assertThat(Descriptor.parse("nb-7-big-Scylla.db")).isEmpty();
        assertThat(Descriptor.ofFile("nb-7-big-Data.db.tmp")).isEmpty();
    }
}
