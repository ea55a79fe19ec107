"""Tests that check_layers finds includes and links against the layers, private headers used from
outside, third-party headers out of place, and too many public headers."""

import unittest

from planted_tree import PlantedTreeTest


class CheckLayersTest(PlantedTreeTest):
    def include(self, path, included):
        self.plant(path, f"// A file.\n#include {included}\n")
        return self.check("check_layers")

    def test_allowed_includes_pass(self):
        self.include("sim/world.cpp", '"tracks/track.h"')
        self.include("sim/physics/world.cpp", "<btBulletDynamicsCommon.h>")
        self.include("sim/recording_io.cpp", '"sim/proto/recording.pb.h"')
        self.include("tests/sim/world_test.cpp", '"sim/physics/world.h"')
        self.include("tools/cli/main.cpp", '"agents/trainer.h"')
        self.assertEqual(self.include("sim/base/log.cpp", "<unistd.h>"), "")

    def test_upward_includes_fail(self):
        for path, included in (("sim/a.cpp", '"reward/reward_function.h"'),
                               ("tracks/a.cpp", '"sim/vector_sim.h"'),
                               ("sim/base/a.cpp", '"tracks/track.h"'),
                               ("agents/storage/a.cpp", '"agents/trainer.h"'),
                               ("agents/a.cpp", '"tools/cli/command.h"'),
                               ("tools/viewer/a.cpp", '"agents/policy.h"')):
            self.assertIn(f"{path}:2: ", self.include(path, included))

    def test_private_headers_are_private(self):
        self.assertIn("private header of sim", self.include("reward/a.cpp", '"sim/physics/world.h"'))
        self.assertIn("private header of sim",
                      self.include("agents/cuda/a.cu", '"sim/physics/world.h"'))

    def test_gpu_code_sees_its_own_targets_kernels(self):
        self.include("sim/cuda/camera.cu", '"sim/sensors/camera/camera_kernel.inl"')
        self.assertEqual(self.include("tests/sim/a.cpp", '"sim/cuda/cuda_eyes.h"'), "")

    def test_includes_start_at_the_root(self):
        self.assertIn("not written from the root", self.include("sim/a.cpp", '"world.h"'))

    def test_third_party_headers_stay_in_place(self):
        for path, included in (("sim/a.cpp", "<btBulletDynamicsCommon.h>"),
                               ("sim/physics/a.cpp", "<opencv2/core.hpp>"),
                               ("reward/a.cpp", "<pybind11/embed.h>"),
                               ("reward/python/a.cpp", "<torch/torch.h>"),
                               ("tracks/a.cpp", '"tracks/proto/track.pb.h"')):
            self.assertIn("belongs in", self.include(path, included))

    def test_upward_links_fail(self):
        self.plant("sim/CMakeLists.txt", "lapforge_library(sim SOURCES a.cpp PUBLIC lapforge::base)")
        self.plant("sim/base/CMakeLists.txt", "lapforge_library(base SOURCES a.cpp)")
        self.assertEqual(self.check("check_layers"), "")
        self.plant("sim/base/CMakeLists.txt",
                   "lapforge_library(base\n  SOURCES a.cpp\n  PRIVATE lapforge::sim)")
        self.assertIn("sim/base may not use sim", self.check("check_layers"))

    def test_public_headers_are_few(self):
        for number in range(8):
            self.plant(f"tracks/header_{number}.h", "#pragma once\n")
        self.assertEqual(self.check("check_layers"), "")
        self.plant("tracks/header_8.h", "#pragma once\n")
        self.assertIn("tracks: 9 public headers", self.check("check_layers"))


if __name__ == "__main__":
    unittest.main()
