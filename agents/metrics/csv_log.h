// A CSV file that grows by rows and whose columns its first row fixes. A row that cannot be written
// whole (full disk) leaves the file as it was.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "agents/run_folder.h"
#include "sim/base/file_io.h"
#include "sim/base/result.h"

namespace lapforge::agents {

class CsvLog {
 public:
  /// Goes on with the columns of a file that has some.
  static Result<CsvLog> Open(const std::filesystem::path& path);

  /// A new name is an error once there are columns, as is one that CSV would have to quote; a
  /// column without a value stays empty.
  Result<void> Append(std::span<const Metric> row);

  AppendFile& file() { return file_; }

 private:
  CsvLog(std::filesystem::path path, AppendFile file, std::vector<std::string> columns)
      : path_(std::move(path)), file_(std::move(file)), columns_(std::move(columns)) {}

  Result<void> AppendCells(const std::string& header, const std::vector<std::string>& columns,
                           std::span<const Metric> row);

  std::filesystem::path path_;
  AppendFile file_;
  std::vector<std::string> columns_;
};

}  // namespace lapforge::agents
