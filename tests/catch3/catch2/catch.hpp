// Lets tests written for Catch2 2 build with Catch2 3.
#pragma once

#include <catch2/catch_all.hpp>

using Catch::Approx;
