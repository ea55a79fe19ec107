// Files that are whole or absent: bounded reading, atomic writing, appending with a known size.
// Every error is one line with the path and the system's reason in words. Only regular files are
// read and written: devices, pipes, sockets and links to nothing are refused and stay as they are.
// A link to a regular file stays too; the file behind it is meant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "sim/base/result.h"

namespace lapforge {

/// The whole file. Refuses more than `max_bytes`. Never blocks on a pipe.
Result<std::string> ReadFile(const std::filesystem::path& path,
                             size_t max_bytes = size_t{64} << 20);

/// Replaces or makes `path` with exactly `bytes`: after a crash, a full disk or an error the old
/// content is untouched. Writes a temporary in the same folder, flushes it to disk, renames it and
/// flushes the folder. A kill -9 may leave a file with a name of kTemporaryPrefix behind.
Result<void> WriteFileAtomic(const std::filesystem::path& path, std::string_view bytes);

/// The same for a file that must not exist yet. False: it exists, and stays as it is. Of several
/// processes that try at once, one succeeds. Needs a file system with hard links.
Result<bool> CreateFileAtomic(const std::filesystem::path& path, std::string_view bytes);

/// What WriteFileAtomic would say about the path, found out before the work that fills the file.
Result<void> CheckWritable(const std::filesystem::path& path);

/// How the names of temporaries start.
inline constexpr std::string_view kTemporaryPrefix = ".lapforge-tmp-";

/// A name for what is not whole yet: in the folder of `path`, with the ending `extension`. The file
/// of this name, if anybody makes it, goes with this object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& path, const std::string& extension = "");
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// The name has a new owner: the file got another one.
  void Release();

 private:
  std::filesystem::path path_;
  int slot_;  // of the list for RemoveTemporaries
};

/// Removes the files of all TemporaryFiles of this process. For signal handlers that end it, and
/// for nothing else.
void RemoveTemporaries();

/// Makes the folder and its parents, flushed to disk; success when it is there already.
Result<void> MakeFolders(const std::filesystem::path& path);

/// Owns an open file descriptor.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  ~FileDescriptor();
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  bool is_open() const { return fd_ >= 0; }
  int get() const { return fd_; }

 private:
  int fd_;
};

/// A file that grows at its end: CSV and event files. One writer.
class AppendFile {
 public:
  /// Opens `path` for appending, making it empty where it is absent.
  static Result<AppendFile> Open(const std::filesystem::path& path);

  /// Adds `bytes` at the end: all of them, or after an error none.
  Result<void> Append(std::string_view bytes);

  /// Returns once everything appended is on disk.
  Result<void> Sync();

  /// Cuts the file back to its first `offset` bytes; an error when it has fewer. A resumed run
  /// drops in this way what was written after its checkpoint.
  Result<void> Truncate(uint64_t offset);

  /// Bytes in the file.
  uint64_t size() const { return size_; }

 private:
  AppendFile(std::filesystem::path path, FileDescriptor file, uint64_t size)
      : path_(std::move(path)), file_(std::move(file)), size_(size) {}

  std::filesystem::path path_;
  FileDescriptor file_;
  uint64_t size_;
};

}  // namespace lapforge
