// ProfileFile: what it refuses before it takes the memory for it.
#include "tools/profile/profile_file.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstddef>
#include <string>

#include "tests/temporary_folder.h"
#include "tools/command/input_error.h"

namespace jackdaw::tools {
namespace {

// 16 MiB of samples without numbers compress to some KiB.
TEST(ProfileFile, MustFitInMemory) {
  const TemporaryFolder folder;
  std::string samples;
  while (samples.size() < std::size_t{1} << 20) samples.append("\x12\0", 2);
  gzFile file = gzopen(folder.file("profile").c_str(), "wb");
  for (int i = 0; i < 16; ++i) gzwrite(file, samples.data(), static_cast<unsigned>(samples.size()));
  gzclose(file);
  try {
    static_cast<void>(read_profile(folder.file("profile"), 1 << 20));
    FAIL() << "it was not refused";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("needs 1.0 MiB of memory, but only 1.0 MiB is available"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace jackdaw::tools
