package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.install.DiskFile;
import io.sluice.streaming.install.StagedSet;
import io.sluice.streaming.install.StagingArea;
import io.sluice.streaming.install.StagingLimits;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Power goes at every operation of the install protocol, and of the recovery after it. Of what was not synced each
 * sector of each write, and each change of a name, is there or not, in many mixtures: a set is live as a whole or not
 * at all, and for ever once the database was notified. Each build looks at some images of each prefix, {@code -Pfull}
 * at many.
 */
class CrashImagesTest {
    private static final int IMAGES = 256;
    private static final UUID PLAN = new UUID(1, 1);
    private static final UUID SESSION = new UUID(2, 2);
    private static final UUID INSTALL = new UUID(3, 3);

    /** A node that receives one set of three SSTables. */
    private static final class Machine {
        final World world;
        final TableRef table = new TableRef(new UUID(4, 4), "ks", "t0");
        final SimulatedDisk disk;
        final ReceivingDatabase store;
        final List<SimulatedSSTable> sent = new ArrayList<>();
        boolean wasTold;

        Machine(long image) {
            world = new World(image, Set.of(), false);
            world.faults = FaultRates.NONE;
            world.tables.add(table);
            SimulatedNode node = new SimulatedNode(world, "node", ReceivingDatabase::new);
            disk = node.disk;
            store = (ReceivingDatabase) node.database();
            for (int i = 0; i < 3; i++) {
                Descriptor name = new Descriptor(Version.NB, new SSTableId.Sequence(100 + i));
                SimulatedSSTable made = new SimulatedSSTable(
                        store.liveDirectory(table),
                        name,
                        table.id(),
                        List.of(new SimulatedRow(i, 1, i)),
                        new SplittableRandom(image));
                world.oracle.made(made);
                sent.add(made);
            }
        }

        StagingArea open() throws IOException {
            return StagingArea.open(
                    store,
                    disk,
                    new StagingArea.Options(
                            (directory, descriptor, offer, ranges) -> Optional.empty(), StagingLimits.DEFAULTS));
        }

        void receive() throws IOException {
            try (StagingArea area = open()) {
                StagedSet set = area.begin(PLAN, table);
                for (SimulatedSSTable sstable : sent) {
                    SSTableOffer offer = sstable.offer(0);
                    Descriptor descriptor = set.land(
                                    SESSION,
                                    offer,
                                    () -> new Descriptor(
                                            Version.NB,
                                            SSTableId.parse(store.newId(table)).orElseThrow()))
                            .descriptor();
                    for (Map.Entry<Component, byte[]> file : sstable.files.entrySet()) {
                        try (DiskFile open = set.open(descriptor, file.getKey())) {
                            open.writeFully(ByteBuffer.wrap(file.getValue()), 0);
                        }
                    }
                    set.stage(SESSION, descriptor, offer, TokenRanges.FULL);
                }
                area.install(set, INSTALL);
                wasTold = true;
            }
        }

        /** Whether power went at the n-th operation. */
        boolean losesPowerAt(long n, Work work) throws IOException {
            return dies(true, n, work);
        }

        /** Whether the process was killed at the n-th operation: what it wrote is there, synced or not. */
        boolean isKilledAt(long n, Work work) throws IOException {
            return dies(false, n, work);
        }

        private boolean dies(boolean powerToo, long n, Work work) throws IOException {
            disk.crashAfter(n);
            try {
                work.run();
                return false;
            } catch (Crash e) {
                return true;
            } finally {
                disk.die(powerToo);
                store.die();
            }
        }

        int live() throws IOException {
            store.restart();
            store.checkWholeInstalls();
            assertThat(store.rows(table)).hasSize(store.visible(table).size()); // each can be read
            return store.visible(table).size();
        }
    }

    /** Something that a disk may refuse. */
    private interface Work {
        void run() throws IOException;
    }

    @Test
    void an_install_is_all_or_nothing_in_some_images_of_every_prefix() throws IOException {
        install(16);
    }

    @Test
    @Tag("full")
    void an_install_is_all_or_nothing_in_every_image_of_every_prefix() throws IOException {
        install(IMAGES);
    }

    private static void install(int images) throws IOException {
        long prefixes = 0;
        boolean crashed = true;
        for (long n = 1; crashed; n++) {
            crashed = false;
            for (int image = 0; image < images; image++) {
                Machine machine = new Machine(n * IMAGES + image);
                crashed |= machine.losesPowerAt(n, machine::receive);
                machine.open().close();
                int live = machine.live();
                assertThat(live).as("prefix %d, image %d", n, image).isIn(machine.wasTold ? Set.of(3) : Set.of(0, 3));
            }
            prefixes = n;
        }
        assertThat(prefixes).isGreaterThan(80);
    }

    @Test
    void a_recovery_is_all_or_nothing_in_some_images_of_every_prefix() throws IOException {
        recover(4);
    }

    @Test
    @Tag("full")
    void a_recovery_is_all_or_nothing_in_every_image_of_every_prefix() throws IOException {
        recover(24);
    }

    private static void recover(int images) throws IOException {
        long install = 1;
        boolean crashed = true;
        for (; crashed; install += 7) { // not every prefix of both: their product is large
            crashed = false;
            boolean recoveryCrashed = true;
            for (long n = 1; recoveryCrashed; n++) {
                recoveryCrashed = false;
                for (int image = 0; image < images; image++) {
                    Machine machine = new Machine((install * 1_000 + n) * IMAGES + image);
                    crashed |= machine.losesPowerAt(install, machine::receive);
                    recoveryCrashed |=
                            machine.losesPowerAt(n, () -> machine.open().close());
                    machine.open().close();
                    assertThat(machine.live())
                            .as("prefix %d, then %d, image %d", install, n, image)
                            .isIn(machine.wasTold ? Set.of(3) : Set.of(0, 3));
                }
            }
        }
    }

    /**
     * What a killed process has written and not synced is seen by the next one, and goes with the power all the same.
     */
    @Test
    void a_recovery_after_a_kill_is_all_or_nothing_when_power_goes_in_it() throws IOException {
        boolean crashed = true;
        for (long install = 1; crashed; install++) { // one of them is between a name and its sync
            crashed = false;
            boolean recoveryCrashed = true;
            for (long n = 1; recoveryCrashed; n += 3) {
                recoveryCrashed = false;
                for (int image = 0; image < 3; image++) {
                    Machine machine = new Machine((install * 1_000 + n) * IMAGES + image);
                    crashed |= machine.isKilledAt(install, machine::receive);
                    recoveryCrashed |=
                            machine.losesPowerAt(n, () -> machine.open().close());
                    machine.open().close();
                    assertThat(machine.live())
                            .as("killed at %d, then power lost at %d, image %d", install, n, image)
                            .isIn(machine.wasTold ? Set.of(3) : Set.of(0, 3));
                }
            }
        }
    }
}
