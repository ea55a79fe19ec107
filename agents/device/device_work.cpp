#include "agents/device/device_work.h"

#include <c10/util/Exception.h>

#include <stdexcept>

#include "sim/base/log.h"
#include "sim/base/strings.h"

namespace lapforge::agents {
namespace {

void Check(int status, const DeviceTable* table) {
  if (status != 0) throw std::runtime_error(table->last_error());
}

template <class T>
T* Checked(T* made, const DeviceTable* table) {
  if (made == nullptr) throw std::runtime_error(table->last_error());
  return made;
}

}  // namespace

std::string FirstLineOf(const std::exception& error) {
  const auto* const of_torch = dynamic_cast<const c10::Error*>(&error);
  const char* const text = of_torch != nullptr ? of_torch->what_without_backtrace() : error.what();
  return std::string(Split(text, '\n').front());
}

DeviceStream::DeviceStream(const DeviceTable* table)
    : table_(table), handle_(Checked(table->make_stream(), table)) {}

void DeviceStream::Use() const { Check(table_->use_stream(handle_), table_); }

DeviceEvent::DeviceEvent(const DeviceTable* table)
    : table_(table), event_(Checked(table->make_event(), table), table->free_event) {}

void DeviceEvent::Record(const DeviceStream& stream) const {
  Check(table_->record(event_.get(), stream.handle()), table_);
}

void DeviceEvent::Delay(const DeviceStream& stream) const {
  Check(table_->stream_waits(stream.handle(), event_.get()), table_);
}

void DeviceEvent::Wait() const { Check(table_->host_waits(event_.get()), table_); }

RepeatedWork::RepeatedWork(const DeviceTable* table, bool is_played_back, std::string name)
    : table_(table),
      graph_(is_played_back ? table->make_graph() : nullptr, table->free_graph),
      name_(std::move(name)) {}

void RepeatedWork::Run(const std::function<void()>& work) {
  if (graph_ != nullptr && num_runs_ == kWarmUps) WriteDown(work);
  ++num_runs_;
  if (graph_ == nullptr || num_runs_ <= kWarmUps) {
    work();
  } else {
    Check(table_->replay(graph_.get()), table_);
  }
}

// Without a graph afterwards, if that fails.
void RepeatedWork::WriteDown(const std::function<void()>& work) {
  std::string problem;
  if (table_->begin_capture(graph_.get()) != 0) {
    problem = table_->last_error();
  } else {
    try {
      work();
    } catch (const std::exception& error) {
      problem = FirstLineOf(error);
    }
    if (table_->end_capture(graph_.get()) != 0 && problem.empty()) problem = table_->last_error();
  }
  if (problem.empty()) return;
  graph_.reset();
  LogWarning("net.cuda_graphs: ", name_, " goes on without a graph (", problem, ")");
}

}  // namespace lapforge::agents
