// Files: what cannot be opened, what is compressed, and MATLAB's.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>

#include "sconet/errors.hpp"
#include "sconet/table.hpp"

#ifdef SCONET_WITH_ZLIB
#include <zlib.h>
#endif
#ifdef SCONET_WITH_ZSTD
#include <zstd.h>
#endif
#ifdef SCONET_WITH_MATIO
#include <matio.h>
#endif

namespace sconet {
namespace {

using Names = std::vector<std::string>;

// A folder of its own for each test; messages are compared with the folder's name taken out.
class Files : public testing::Test {
 protected:
  Files() {
    std::string name = testing::TempDir() + "sconet_table_XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name + "/";
  }
  ~Files() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + name; }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::string bytes_of(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  template <class Error = DataError>
  std::string complaint(const std::string& name, const TableOptions& options = {}) const {
    try {
      read_table(name == "-" ? name : path(name), options);
    } catch (const Error& error) {
      std::string what = error.what();
      for (std::size_t at; (at = what.find(folder_)) != std::string::npos;) what.erase(at, folder_.size());
      return what;
    }
    return "nothing";
  }

  // Standard input comes from a file while f runs.
  static void with_stdin(const std::string& file, const std::function<void()>& f) {
    const int kept = dup(STDIN_FILENO);
    std::FILE* in = std::fopen(file.c_str(), "rb");
    dup2(fileno(in), STDIN_FILENO);
    f();
    dup2(kept, STDIN_FILENO);
    std::fclose(in);
    close(kept);
  }

 private:
  std::string folder_;
};

const std::string kText = "a,b\n1,2\n3,4.5\n";

void expect_is_the_text(const Table& t) {
  ASSERT_EQ(t.columns.size(), 2u);
  EXPECT_EQ(t.columns[0].numbers, (std::vector<double>{1, 3}));
  EXPECT_EQ(t.columns[1].numbers, (std::vector<double>{2, 4.5}));
}

TEST_F(Files, AreReadOrSayWhyNot) {
  expect_is_the_text(read_table(write("t.csv", kText)));
  EXPECT_EQ(read_table(path("t.csv")).source, path("t.csv"));
  EXPECT_EQ(complaint<IoError>("none.csv"), "none.csv: no such file");
  EXPECT_EQ(complaint<IoError>("none.mat"), "none.mat: no such file");
  EXPECT_EQ(complaint<IoError>("."), ".: is a directory");
  TableOptions options;
  options.format = TableFormat::arff;
  EXPECT_EQ(complaint("t.csv", options), "t.csv:1: 'a,b' stands before @data; expected a line that begins with @");
  write("empty.csv", "");
  EXPECT_EQ(complaint("empty.csv"), "empty.csv: the file is empty");
  write("secret.csv", kText);
  chmod(path("secret.csv").c_str(), 0);
  if (access(path("secret.csv").c_str(), R_OK) != 0) {  // root may read everything
    EXPECT_EQ(complaint<IoError>("secret.csv"), "secret.csv: permission denied");
  }
}

TEST_F(Files, StandardInput) {
  with_stdin(write("t.csv", kText), [] {
    const Table t = read_table("-");
    expect_is_the_text(t);
    EXPECT_EQ(t.place(0, 1), "standard input:2:2");
  });
  with_stdin(write("bad.csv", "a,b\n1\n"),
             [&] { EXPECT_EQ(complaint("-"), "standard input:2: 1 field where the header has 2"); });
}

#ifdef SCONET_WITH_ZLIB
std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST_F(Files, Gzip) {
  const std::string packed = gzip(kText);
  const Table t = read_table(write("t.csv.gz", packed));
  expect_is_the_text(t);
  EXPECT_EQ(t.description, "comma-separated text with a header line, gzip");
  expect_is_the_text(read_table(write("members", gzip("a,b\n1,") + gzip("") + gzip("2\n3,4.5\n"))));
  expect_is_the_text(read_table(write("padded", packed + std::string(512, '\0'))));
  with_stdin(path("t.csv.gz"), [] { expect_is_the_text(read_table("-")); });
  for (std::size_t length = 2; length < packed.size(); ++length) {
    write("cut.csv.gz", packed.substr(0, length));
    EXPECT_EQ(complaint("cut.csv.gz"), "cut.csv.gz: the gzip data ends early (truncated download?)") << length;
  }
  for (std::size_t i = 2; i < packed.size(); ++i) {  // a flipped bit is noticed, or lies in what does not count
    std::string bad = packed;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    try {
      expect_is_the_text(read_table(write("bad.gz", bad)));
    } catch (const DataError&) {
    }
  }
  std::string large = "v\n";  // larger than a step of the unpacking
  for (int i = 0; i < 200'000; ++i) large += fmt::format("{}\n", i);
  EXPECT_EQ(read_table(write("large.gz", gzip(large))).rows, 200'000);
}
#endif

#ifdef SCONET_WITH_ZSTD
std::string zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

TEST_F(Files, Zstd) {
  const std::string packed = zstd(kText);
  const Table t = read_table(write("t.csv.zst", packed));
  expect_is_the_text(t);
  EXPECT_EQ(t.description, "comma-separated text with a header line, zstd");
  expect_is_the_text(read_table(write("frames", zstd("a,b\n1,") + zstd("2\n3,4.5\n"))));
  with_stdin(path("t.csv.zst"), [] { expect_is_the_text(read_table("-")); });
  for (std::size_t length = 4; length < packed.size(); ++length) {
    write("cut", packed.substr(0, length));
    EXPECT_EQ(complaint("cut"), "cut: the zstd data ends early (truncated download?)") << length;
  }
  EXPECT_NE(complaint(write("bad.zst", packed + "rubbish").substr(path("").size())).find("the zstd data is damaged"),
            std::string::npos);
  for (const std::size_t size : {(1u << 18) - 1, 1u << 18, (1u << 18) + 1}) {  // around a step of the unpacking
    std::string large = "v\n1";
    large.resize(size - 1, '0');
    large += "\n";
    EXPECT_EQ(read_table(write("large", zstd(large))).rows, 1) << size;
  }
}
#endif

#ifdef SCONET_WITH_MATIO
class MatFiles : public Files {
 protected:
  struct Version {
    mat_ft format;
    matio_compression compression;
  };
  static std::vector<Version> versions() {
    return {
        {MAT_FT_MAT5, MAT_COMPRESSION_NONE}, {MAT_FT_MAT5, MAT_COMPRESSION_ZLIB}, {MAT_FT_MAT73, MAT_COMPRESSION_NONE}};
  }

  // A file under construction.
  class Writer {
   public:
    Writer(const std::string& path, Version version)
        : file_(Mat_CreateVer(path.c_str(), nullptr, version.format)), version_(version) {}
    ~Writer() { Mat_Close(file_); }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    template <class T>
    void add(const char* name, matio_classes of, matio_types type, std::vector<std::size_t> dims, std::vector<T> data,
             int flags = 0) {
      matvar_t* variable =
          Mat_VarCreate(name, of, type, static_cast<int>(dims.size()), dims.data(), data.data(), flags);
      Mat_VarWrite(file_, variable, version_.compression);
      Mat_VarFree(variable);
    }
    void doubles(const char* name, std::size_t rows, std::size_t columns, const std::vector<double>& data) {
      add<double>(name, MAT_C_DOUBLE, MAT_T_DOUBLE, {rows, columns}, data);
    }
    void text(const char* name) { add<char>(name, MAT_C_CHAR, MAT_T_UTF8, {1, 2}, {'h', 'i'}); }

   private:
    mat_t* file_;
    Version version_;
  };
};

TEST_F(MatFiles, MatricesBecomeColumns) {
  for (const Version version : versions()) {
    {
      Writer w(path("d.mat"), version);
      w.doubles("X", 3, 2, {1, 2.5, 3, 4, 5, std::nan("")});
      w.text("note");
      w.add<float>("s", MAT_C_SINGLE, MAT_T_SINGLE, {3, 1}, {0.5F, 1, 2});
      w.add<std::int32_t>("i", MAT_C_INT32, MAT_T_INT32, {3, 1}, {-1, 0, 7});
      w.add<std::uint8_t>("flag", MAT_C_UINT8, MAT_T_UINT8, {3, 1}, {1, 0, 1}, MAT_F_LOGICAL);
      w.doubles("cube", 3, 1, {1, 2, 3});
    }
    const Table t = read_table(path("d.mat"));
    EXPECT_EQ(t.description, "MATLAB file");
    EXPECT_EQ(t.rows, 3);
    Names names;
    for (const Column& column : t.columns) names.push_back(column.name);
    std::sort(names.begin(), names.end());  // version 7.3 keeps them by name
    ASSERT_EQ(names, (Names{"X_1", "X_2", "cube", "flag", "i", "s"}));
    EXPECT_EQ(t.columns[static_cast<std::size_t>(t.column("X_1"))].numbers, (std::vector<double>{1, 2.5, 3}));
    EXPECT_TRUE(std::isnan(t.columns[static_cast<std::size_t>(t.column("X_2"))].numbers[2]));
    EXPECT_EQ(t.columns[static_cast<std::size_t>(t.column("s"))].numbers, (std::vector<double>{0.5, 1, 2}));
    EXPECT_EQ(t.columns[static_cast<std::size_t>(t.column("i"))].numbers, (std::vector<double>{-1, 0, 7}));
    EXPECT_EQ(t.columns[static_cast<std::size_t>(t.column("flag"))].numbers, (std::vector<double>{1, 0, 1}));
    EXPECT_EQ(t.place(1, 0), path("d.mat") + ": row 2, column 1");

    TableOptions options;
    options.variables = {"i", "X"};
    options.types = {{"i", ColumnType::text}};
    const Table chosen = read_table(path("d.mat"), options);
    ASSERT_EQ(chosen.columns.size(), 3u);
    EXPECT_EQ(chosen.columns[0].levels, (Names{"-1", "0", "7"}));
    EXPECT_EQ(chosen.columns[1].name, "X_1");
    std::filesystem::rename(path("d.mat"), path("noname"));  // known by its content too
    EXPECT_EQ(read_table(path("noname"), options).columns.size(), 3u);
  }
}

TEST_F(MatFiles, SayWhatCannotBeRead) {
  for (const Version version : versions()) {
    {
      Writer w(path("d.mat"), version);
      w.doubles("T", 1, 3, {1, 2, 3});
      w.doubles("X", 3, 2, {1, 2, 3, 4, 5, 6});
      w.text("note");
      w.add<double>("cube", MAT_C_DOUBLE, MAT_T_DOUBLE, {1, 1, 2}, {1, 2});
    }
    TableOptions options;
    const std::string all = complaint("d.mat");
    EXPECT_EQ(all.find("d.mat: the variables have different numbers of rows; it has "), 0u) << all;
    EXPECT_NE(all.find("T (1 x 3)"), std::string::npos) << all;
    EXPECT_NE(all.find("X (3 x 2)"), std::string::npos) << all;
    EXPECT_NE(all.find("choose those that belong together (--variables X,T)"), std::string::npos) << all;
    options.variables = {"note"};
    EXPECT_EQ(complaint("d.mat", options), "d.mat: the variable 'note' is text; only real matrices can be read");
    options.variables = {"cube"};
    EXPECT_EQ(
        complaint("d.mat", options),
        "d.mat: the variable 'cube' is not a matrix (it has more than two dimensions); only real matrices can be read");
    options.variables = {"Y"};
    EXPECT_EQ(complaint("d.mat", options).find("d.mat: there is no variable 'Y'; it has "), 0u);
    std::filesystem::remove(path("d.mat"));
  }
  {
    Writer w(path("text.mat"), versions()[0]);
    w.text("note");
  }
  EXPECT_EQ(complaint("text.mat"), "text.mat: there is no real matrix in it; it has note (1 x 2)");
  with_stdin(path("text.mat"), [&] { EXPECT_EQ(complaint("-"), "standard input: a .mat file must be a plain file"); });
#ifdef SCONET_WITH_ZLIB
  write("text.mat.gz", gzip(bytes_of("text.mat")));
  EXPECT_EQ(complaint("text.mat.gz"), "text.mat.gz: a .mat file must be a plain file");
#endif
  write("no.mat",
        "this is no such file, but it is longer than the head of one would have to be, which is 128 bytes. "
        "So here is some more text to fill it up to that length.");
  EXPECT_EQ(complaint("no.mat"), "no.mat: it is not a MATLAB file, or it is damaged");
}

TEST_F(MatFiles, DamagedOnesAreRefusedInSilence) {
  for (const Version version : versions()) {
    {
      Writer w(path("d.mat"), version);
      std::vector<double> values(200);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i));
      w.doubles("X", 100, 2, values);
      w.doubles("T", 100, 1, std::vector<double>(100, 3.0));
    }
    const std::string whole = bytes_of("d.mat");
    testing::internal::CaptureStderr();
    const auto is_refused = [&](const std::string& bytes) {
      write("bad.mat", bytes);
      return complaint("bad.mat") != "nothing";
    };
    const std::size_t first =
        version.format == MAT_FT_MAT5 ? 128 + 8 : 0;  // before it there may be no variable to miss
    for (std::size_t length = first; length < whole.size(); length += std::max<std::size_t>(1, whole.size() / 60))
      EXPECT_TRUE(is_refused(whole.substr(0, length)) || length + 8 > whole.size()) << length;
    for (std::size_t i = first; i < whole.size(); i += 1 + whole.size() / 300) {
      std::string bad = whole;
      bad[i] = static_cast<char>(bad[i] ^ 0x55);
      const bool refused = is_refused(bad);
#ifdef SCONET_WITH_ZLIB
      EXPECT_TRUE(refused || version.compression == MAT_COMPRESSION_NONE) << i;  // which has no checksum
#else
      static_cast<void>(refused);
#endif
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    std::filesystem::remove(path("d.mat"));
  }
}
#endif

}  // namespace
}  // namespace sconet
