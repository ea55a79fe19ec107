// Tests what is asked of a device, with a table of functions that only writes the calls down: what
// waits for what, and when work is warmed up, captured and played back.
#include "agents/device/device_work.h"

#include <algorithm>
#include <stdexcept>

#include "sim/base/log.h"
#include "tests/agents/agents_fixture.h"

namespace lapforge::agents {
namespace {

// The calls, and what a device would do wrong.
struct FakeDevice {
  std::vector<std::string> calls;
  std::string failing;  // the call that fails

  int Call(const std::string& name) {
    calls.push_back(name);
    return name == failing ? 1 : 0;
  }
  bool Has(const std::string& name) const {
    return std::find(calls.begin(), calls.end(), name) != calls.end();
  }
};
FakeDevice fake;
int handle = 0;

DeviceTable FakeTable() {
  DeviceTable table = TwinTable();
  table.last_error = [] { return "the fake fails"; };
  table.make_stream = []() -> void* { return fake.Call("make_stream") == 0 ? &handle : nullptr; };
  table.use_stream = [](void*) { return fake.Call("use_stream"); };
  table.make_event = []() -> void* { return fake.Call("make_event") == 0 ? &handle : nullptr; };
  table.record = [](void*, void*) { return fake.Call("record"); };
  table.stream_waits = [](void*, void*) { return fake.Call("stream_waits"); };
  table.host_waits = [](void*) { return fake.Call("host_waits"); };
  table.make_graph = []() -> void* { return fake.Call("make_graph") == 0 ? &handle : nullptr; };
  table.begin_capture = [](void*) { return fake.Call("begin_capture"); };
  table.end_capture = [](void*) { return fake.Call("end_capture"); };
  table.replay = [](void*) { return fake.Call("replay"); };
  table.free_graph = [](void*) { fake.Call("free_graph"); };
  return table;
}

using Calls = std::vector<std::string>;

// What is called by so many runs of work that only says so.
Calls CallsOf(int num_runs, bool is_played_back) {
  fake.calls.clear();
  const DeviceTable table = FakeTable();
  RepeatedWork work(&table, is_played_back, "work");
  for (int i = 0; i < num_runs; ++i) work.Run([] { fake.Call("work"); });
  return fake.calls;
}

TEST_CASE("work is warmed up, captured once, and then played back") {
  fake = {};
  const Calls calls = CallsOf(6, true);
  CHECK(calls == Calls{"make_graph", "work", "work", "work", "begin_capture", "work", "end_capture",
                       "replay", "replay", "replay"});
}

TEST_CASE("without graphs work is as it comes") {
  fake = {};
  CHECK(CallsOf(5, false) == Calls(5, "work"));
  fake.failing = "make_graph";  // a device that has none
  CHECK(CallsOf(5, true) == Calls{"make_graph", "work", "work", "work", "work", "work"});
}

TEST_CASE("a capture that fails is one line, and work goes on without it") {
  std::vector<std::string> lines;
  SetLogSink([&](LogLevel, std::string_view line) { lines.emplace_back(line); });
  SECTION("at its begin") {
    fake = {{}, "begin_capture"};
    const Calls calls = CallsOf(5, true);
    CHECK(calls == Calls{"make_graph", "work", "work", "work", "begin_capture", "free_graph",
                         "work", "work"});
    CHECK(lines ==
          Calls{"warning: net.cuda_graphs: work goes on without a graph (the fake fails)"});
  }
  SECTION("at its end") {
    fake = {{}, "end_capture"};
    const Calls calls = CallsOf(5, true);
    CHECK(calls == Calls{"make_graph", "work", "work", "work", "begin_capture", "work",
                         "end_capture", "free_graph", "work", "work"});
    CHECK(lines.size() == 1);
  }
  SECTION("in the work, which ends the capture first") {
    fake = {};
    const DeviceTable table = FakeTable();
    RepeatedWork work(&table, true, "work");
    int num_done = 0;
    for (int i = 0; i < 5; ++i) {
      work.Run([&] {
        const bool is_capturing = fake.Has("begin_capture") && !fake.Has("end_capture");
        if (is_capturing) throw std::runtime_error("not permitted\nwhile capturing");
        ++num_done;
      });
    }
    CHECK(num_done == 5);
    CHECK(fake.Has("end_capture"));
    CHECK_FALSE(fake.Has("replay"));
    CHECK(lines == Calls{"warning: net.cuda_graphs: work goes on without a graph (not permitted)"});
  }
  SetLogSink({});
}

TEST_CASE("what a device refuses is an exception with its words") {
  fake = {{}, "make_stream"};
  const DeviceTable table = FakeTable();
  CHECK_THROWS_WITH(DeviceStream(&table), "the fake fails");
  fake = {{}, "record"};
  const DeviceStream stream(&table);
  const DeviceEvent event(&table);
  CHECK_THROWS_WITH(event.Record(stream), "the fake fails");
}

TEST_CASE("the twin does everything at once and has no graphs") {
  const DeviceStream stream(&TwinTable());
  const DeviceEvent event(&TwinTable());
  stream.Use();
  event.Record(stream);
  event.Delay(stream);
  event.Wait();
  RepeatedWork work(&TwinTable(), true, "work");
  int num_runs = 0;
  for (int i = 0; i < 10; ++i) work.Run([&] { ++num_runs; });
  CHECK(num_runs == 10);
}

}  // namespace
}  // namespace lapforge::agents
