// Tests the CSV and TensorBoard logs; the event file is decoded by an independent program.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "agents/metrics/csv_log.h"
#include "agents/metrics/event_log.h"
#include "tests/base/temporary_folder.h"

using namespace lapforge;
using namespace lapforge::agents;

TEST_CASE("A CSV has one header, values that read back, and empty cells") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "m.csv";
  {
    CsvLog log = CsvLog::Open(path).value();
    REQUIRE(log.Append(std::vector<Metric>{{"a", 1}, {"b/c", 0.1}}).ok());
    REQUIRE(log.Append(std::vector<Metric>{{"b/c", -2e-9}}).ok());
  }
  CsvLog log = CsvLog::Open(path).value();
  REQUIRE(log.Append(std::vector<Metric>{{"b/c", 3}, {"a", 2}}).ok());
  CHECK(log.Append(std::vector<Metric>{{"b", 3}}).error().message ==
        path.string() + ": there is no column 'b' (did you mean 'b/c'?)");
  CHECK(ReadFile(path).value() == "a,b/c\n1,0.1\n,-2e-09\n2,3\n");
}

TEST_CASE("Event files hold the scalars, with right checksums, and mark a resumed session") {
  const TemporaryFolder folder;
  const std::string first = FreshEventFileName("");
  const std::string second = FreshEventFileName(first);
  CHECK(first < second);
  CHECK(FreshEventFileName("events.out.tfevents.9999999998.host.1") >
        "events.out.tfevents.9999999998.host.1");
  const std::string scalars = "10 loss/policy 0.5\n10 x -3\n20 loss/policy 0.25\n";
  for (const EventSession session : {EventSession::kFirst, EventSession::kResumed}) {
    const bool is_first = session == EventSession::kFirst;
    const auto path = folder.path() / (is_first ? first : second);
    EventLog log = EventLog::Open(path, session).value();
    REQUIRE(log.Append(10, std::vector<Metric>{{"loss/policy", 0.5}, {"x", -3}}).ok());
    REQUIRE(log.Append(20, std::vector<Metric>{{"loss/policy", 0.25}}).ok());

    const auto output = folder.path() / "decoded.txt";
    const std::string command = std::string("/usr/bin/python3 '") + LAPFORGE_SOURCE_DIR +
                                "/tests/run_folder/decode_events.py' '" + path.string() + "' > '" +
                                output.string() + "'";
    REQUIRE(std::system(command.c_str()) == 0);
    CHECK(ReadFile(output).value() ==
          "version brain.Event:2\n" + std::string(is_first ? "" : "10 start\n") + scalars);
  }
}
