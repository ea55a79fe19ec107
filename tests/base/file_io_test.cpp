// Tests files: whole reads and writes, refusals in plain words, and that faults (no permission, a
// full disk, a limit in the middle of a write) leave the old content and no litter.
#include "sim/base/file_io.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <functional>
#include <iostream>

#include "tests/base/temporary_folder.h"

namespace lapforge {
namespace {

namespace fs = std::filesystem;

size_t NumFilesIn(const fs::path& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
}

// Puts back what a test changed in the process, also when a REQUIRE leaves early.
class AtEnd {
 public:
  explicit AtEnd(std::function<void()> action) : action_(std::move(action)) {}
  ~AtEnd() { action_(); }

 private:
  std::function<void()> action_;
};

std::string BytesOf(const fs::path& path) { return ReadFile(path).value(); }

TEST_CASE("What is written atomically is read back, and replaced") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "a b.bin";
  std::string bytes(300000, 'x');
  bytes[5] = '\0';
  for (const std::string& content : {bytes, std::string(), std::string("short")}) {
    REQUIRE(WriteFileAtomic(path, content).ok());
    CHECK(BytesOf(path) == content);
  }
  CHECK(NumFilesIn(folder.path()) == 1);

  // a name without a folder, and the longest name there is
  const AtEnd restore([old = fs::current_path()] { fs::current_path(old); });
  fs::current_path(folder.path());
  CHECK(WriteFileAtomic("plain", "1").ok());
  CHECK(WriteFileAtomic(std::string(255, 'n'), "2").ok());
  CHECK(BytesOf("plain") == "1");
}

TEST_CASE("Whether a file can be written is told as writing tells it, and leaves nothing") {
  const TemporaryFolder folder;
  REQUIRE(WriteFileAtomic(folder.path() / "file", "x").ok());
  for (const char* name : {"file", "new", "absent/new", "file/new", "."}) {
    CAPTURE(name);
    const fs::path path = folder.path() / name;
    const Result<void> checked = CheckWritable(path);
    CHECK(NumFilesIn(folder.path()) == 1);
    const Result<void> written = WriteFileAtomic(path, "x");
    CHECK(checked.ok() == written.ok());
    if (!written.ok()) CHECK(checked.error().message == written.error().message);
    fs::remove(folder.path() / "new");
  }
}

TEST_CASE("What a signal interrupts leaves no temporary") {
  const TemporaryFolder folder;
  TemporaryFile kept(folder.path() / "film.mp4", ".mp4");
  CHECK(kept.path().extension() == ".mp4");
  for (int i = 0; i < 100; ++i) {  // more than are listed at a time
    const TemporaryFile other(folder.path() / "other");
    CHECK(other.path() != kept.path());
    REQUIRE(WriteFileAtomic(other.path(), "x").ok());
    CHECK(NumFilesIn(folder.path()) == 1);
  }
  REQUIRE(WriteFileAtomic(kept.path(), "half").ok());

  // a copy of the process has nothing to remove
  const pid_t copy = fork();
  if (copy == 0) {
    RemoveTemporaries();
    _exit(0);
  }
  REQUIRE(waitpid(copy, nullptr, 0) == copy);
  CHECK(NumFilesIn(folder.path()) == 1);
  RemoveTemporaries();
  CHECK(NumFilesIn(folder.path()) == 0);
}

TEST_CASE("Reading refuses what is absent, not a file, or too large") {
  const TemporaryFolder folder;
  const auto message = [&](const fs::path& path, size_t max_bytes = 100) {
    return ReadFile(path, max_bytes).error().message;
  };
  const std::string shown = folder.path().string();
  CHECK(message(folder.path() / "no") ==
        "cannot read '" + shown + "/no': No such file or directory");
  CHECK(message(folder.path()) == "cannot read '" + shown + "': it is a folder");
  CHECK(message("/dev/zero") == "cannot read '/dev/zero': it is a device");

  const fs::path pipe = folder.path() / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(message(pipe) == "cannot read '" + shown + "/pipe': it is a pipe");

  const fs::path file = folder.path() / "file";
  REQUIRE(WriteFileAtomic(file, std::string(100, 'x')).ok());
  CHECK(ReadFile(file, 100)->size() == 100);
  CHECK(message(file, 99) == "cannot read '" + shown + "/file': it is larger than 99 bytes");
  CHECK(message(file, 0) == "cannot read '" + shown + "/file': it is larger than 0 bytes");
}

TEST_CASE("A file that tells no size is read to its end") {
  CHECK(ReadFile("/proc/self/status")->starts_with("Name:"));
}

TEST_CASE("Writing where it is impossible names the path and the reason") {
  const TemporaryFolder folder;
  const fs::path absent = folder.path() / "no" / "file";
  CHECK(WriteFileAtomic(absent, "x").error().message ==
        "cannot write '" + absent.string() + "': No such file or directory");
  CHECK(WriteFileAtomic(folder.path(), "x").error().message ==
        "cannot write '" + folder.path().string() + "': it is a folder");
  const fs::path sub_folder = folder.path() / "sub";
  REQUIRE(MakeFolders(sub_folder / "deep").ok());
  CHECK(WriteFileAtomic(sub_folder, "x").error().message ==
        "cannot write '" + sub_folder.string() + "': it is a folder");
  CHECK(NumFilesIn(folder.path()) == 1);
}

TEST_CASE("What is no regular file is never replaced, and links stay links") {
  const TemporaryFolder folder;
  const auto check_refused = [](const fs::path& path, const std::string& reason) {
    INFO(path);
    const std::string expected = "cannot write '" + path.string() + "': " + reason;
    CHECK(WriteFileAtomic(path, "x").error().message == expected);
    CHECK(CreateFileAtomic(path, "x").error().message == expected);
    CHECK(AppendFile::Open(path).error().message == expected);
  };
  const auto status_of = [](const fs::path& path) { return fs::symlink_status(path).type(); };

  const fs::path pipe = folder.path() / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  check_refused(pipe, "it is a pipe");
  CHECK(status_of(pipe) == fs::file_type::fifo);

  // a device of our own where that is allowed: a mistake here must not replace /dev/full
  const fs::path device = folder.path() / "full";
  if (mknod(device.c_str(), S_IFCHR | 0600, makedev(1, 7)) == 0) {
    check_refused(device, "it is a device");
    CHECK(status_of(device) == fs::file_type::character);
  }

  const fs::path link_to_pipe = folder.path() / "to pipe";
  fs::create_symlink(pipe, link_to_pipe);
  check_refused(link_to_pipe, "it is a pipe");
  const fs::path link_to_nothing = folder.path() / "to nothing";
  fs::create_symlink("absent", link_to_nothing);
  check_refused(link_to_nothing, "it is a link to nothing");

  // through two links, into another folder
  REQUIRE(MakeFolders(folder.path() / "other").ok());
  const fs::path target = folder.path() / "other" / "file";
  REQUIRE(WriteFileAtomic(target, "old").ok());
  fs::create_symlink("other/file", folder.path() / "link");
  fs::create_symlink("link", folder.path() / "link to link");
  CHECK(WriteFileAtomic(folder.path() / "link to link", "new").ok());
  CHECK(BytesOf(target) == "new");
  CHECK(status_of(folder.path() / "link") == fs::file_type::symlink);
  CHECK(status_of(folder.path() / "link to link") == fs::file_type::symlink);
  CHECK_FALSE(CreateFileAtomic(folder.path() / "link", "newer").value());
  CHECK(AppendFile::Open(folder.path() / "link").value().Append("er").ok());
  CHECK(BytesOf(target) == "newer");
}

TEST_CASE("MakeFolders makes parents, accepts what is there, and refuses a file") {
  const TemporaryFolder folder;
  const fs::path deep = folder.path() / "a" / "b";
  CHECK(MakeFolders(deep).ok());
  CHECK(MakeFolders(deep).ok());
  CHECK(fs::is_directory(deep));
  const fs::path file = deep / "file";
  REQUIRE(WriteFileAtomic(file, "x").ok());
  CHECK(MakeFolders(file / "c").error().message ==
        "cannot make the folder '" + file.string() + "': File exists");
}

TEST_CASE("Without permission the old file stays") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "file";
  REQUIRE(WriteFileAtomic(path, "old").ok());
  REQUIRE(chmod(folder.path().c_str(), 0555) == 0);
  REQUIRE(chmod(path.c_str(), 0444) == 0);

  // permissions do not bind root, so become nobody for a moment
  constexpr uid_t kNobody = 65534;
  const uid_t user = geteuid();
  if (user == 0) REQUIRE(seteuid(kNobody) == 0);
  const AtEnd restore([&] {
    if (user == 0 && seteuid(0) != 0) abort();
    chmod(folder.path().c_str(), 0755);
  });
  const std::string reason = "cannot write '" + path.string() + "': Permission denied";
  CHECK(WriteFileAtomic(path, "new").error().message == reason);
  CHECK(AppendFile::Open(path).error().message == reason);
  CHECK(MakeFolders(folder.path() / "sub").error().message ==
        "cannot make the folder '" + (folder.path() / "sub").string() + "': Permission denied");
  CHECK(BytesOf(path) == "old");
  CHECK(NumFilesIn(folder.path()) == 1);
}

TEST_CASE("A write that fails half-way leaves the old file and no temporary") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "file";
  const fs::path log_path = folder.path() / "log";
  REQUIRE(WriteFileAtomic(path, "old").ok());
  Result<AppendFile> log = AppendFile::Open(log_path);
  REQUIRE(log->Append("line 1\n").ok());

  // the largest file the process may write, and an error in the place of a signal
  constexpr rlim_t kLimitBytes = 5000;
  rlimit old_limit{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &old_limit) == 0);
  auto* const old_handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{kLimitBytes, old_limit.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  const auto lift = [&] {
    setrlimit(RLIMIT_FSIZE, &old_limit);
    signal(SIGXFSZ, old_handler);
  };
  const Result<void> written = WriteFileAtomic(path, std::string(10000, 'n'));
  const Result<void> appended = log->Append(std::string(10000, 'n'));
  lift();

  CHECK(written.error().message == "cannot write '" + path.string() + "': File too large");
  CHECK(appended.error().message == "cannot write '" + log_path.string() + "': File too large");
  CHECK(BytesOf(path) == "old");
  CHECK(BytesOf(log_path) == "line 1\n");
  CHECK(NumFilesIn(folder.path()) == 2);

  // and the log goes on where it was
  CHECK(log->Append("line 2\n").ok());
  CHECK(BytesOf(log_path) == "line 1\nline 2\n");
}

TEST_CASE("A full disk leaves the old file and no temporary") {
  const TemporaryFolder folder;
  // a small disk that only this process sees
  const bool is_mounted = unshare(CLONE_NEWNS) == 0 &&
                          mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                          mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=64k") == 0;
  if (!is_mounted) {
    std::cout << "SKIPPED: making a small disk needs root\n";
    return;
  }
  const AtEnd unmount([&] { umount(folder.path().c_str()); });
  const fs::path path = folder.path() / "file";
  REQUIRE(WriteFileAtomic(path, "old").ok());
  const std::string reason = "cannot write '" + path.string() + "': No space left on device";
  CHECK(WriteFileAtomic(path, std::string(100000, 'n')).error().message == reason);
  CHECK(AppendFile::Open(path)->Append(std::string(100000, 'n')).error().message == reason);
  CHECK(BytesOf(path) == "old");
  CHECK(NumFilesIn(folder.path()) == 1);
}

TEST_CASE("An appended file grows, reopens, and is cut back to a resume point") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "metrics.csv";
  {
    Result<AppendFile> file = AppendFile::Open(path);
    REQUIRE(file.ok());
    CHECK(file->size() == 0);
    CHECK(file->Append("a,b\n").ok());
    CHECK(file->Append("").ok());
    CHECK(file->Append("1,2\n").ok());
    CHECK(file->Sync().ok());
    CHECK(file->size() == 8);
  }
  Result<AppendFile> file = AppendFile::Open(path);
  CHECK(file->size() == 8);
  CHECK(file->Truncate(9).error().message ==
        "cannot cut '" + path.string() + "' back to 9 bytes: it has only 8");
  CHECK(file->Truncate(4).ok());
  CHECK(file->Append("3,4\n").ok());
  CHECK(file->size() == 8);
  CHECK(BytesOf(path) == "a,b\n3,4\n");

  AppendFile moved = std::move(file).value();
  CHECK(moved.Append("5,6\n").ok());
  CHECK(BytesOf(path) == "a,b\n3,4\n5,6\n");
  CHECK(AppendFile::Open(folder.path()).error().message ==
        "cannot write '" + folder.path().string() + "': it is a folder");
  CHECK(AppendFile::Open("/dev/null").error().message ==
        "cannot write '/dev/null': it is a device");
}

}  // namespace
}  // namespace lapforge
