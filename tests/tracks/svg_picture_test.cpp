// Tests SVG pictures: one element for each thing drawn, coordinates, text as text, small files; a
// browser's view of them is tested by tests/cli/track_pictures_test.py with a real XML reader.
#include "sim/base/file_io.h"
#include "tests/base/temporary_folder.h"
#include "tests/tracks/track_samples.h"
#include "tracks/picture/svg_canvas.h"
#include "tracks/track_picture.h"

namespace lapforge::tracks {
namespace {

size_t CountOf(const std::string& text, const std::string& word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++count;
  return count;
}

std::string Draw(const Track& track, const std::vector<DrivenLine>& lines,
                 const PictureOptions& options = {}) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "track.svg";
  REQUIRE(DrawTrackSvg(track, lines, options, file).ok());
  const Result<std::string> svg = ReadFile(file);
  REQUIRE(svg.ok());
  return *svg;
}

TEST_CASE("an SVG canvas writes shapes as elements") {
  SvgCanvas canvas(200, 100, {1, 2, 255});
  canvas.FillPolygons({{{0, 0}, {10, 0}, {10, 2.5}}, {{1, 1}, {2, 1}, {2, 2}}}, {255, 0, 16});
  const std::vector<Vec2> first = {{1, 2}, {3, 4.126}}, second = {{3, 4.126}, {5, 6}},
                          third = {{-0.001, 8}, {9, 1e6}};
  canvas.DrawLine(first, 2, {0, 0, 0});
  canvas.DrawLine(second, 2, {0, 0, 0});  // goes on
  canvas.DrawLine(third, 2, {0, 0, 0});   // elsewhere, same look
  canvas.DrawLine(third, 3, {0, 0, 0});
  canvas.FillCircle({7, 8}, 1.5, {9, 9, 9});
  CHECK(canvas.Encode() ==
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"200\" height=\"100\" "
        "viewBox=\"0 0 200 100\" fill=\"none\" fill-rule=\"evenodd\" stroke-linecap=\"round\" "
        "stroke-linejoin=\"round\" font-family=\"Helvetica, Arial, sans-serif\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#0102ff\"/>\n"
        "<path fill=\"#ff0010\" d=\"M0 0L10 0L10 2.5ZM1 1L2 1L2 2Z\"/>\n"
        "<path stroke=\"#000000\" stroke-width=\"2\" d=\"M1 2L3 4.13L5 6M0 8L9 1000000\"/>\n"
        "<path stroke=\"#000000\" stroke-width=\"3\" d=\"M0 8L9 1000000\"/>\n"
        "<circle fill=\"#090909\" cx=\"7\" cy=\"8\" r=\"1.5\"/>\n"
        "</svg>\n");
}

TEST_CASE("text stays text, and XML's own characters are escaped") {
  SvgCanvas canvas(200, 100, {});
  canvas.DrawText("a < b & \"c\" > d\xc3\xa9\n", {10, 20},
                  {7.2, 0.5, {255, 255, 255}, Align::kRight});
  canvas.DrawText("halo", {1, 2}, {10, 5, {0, 0, 0}, Align::kCenter});
  const std::string svg = canvas.Encode();
  CHECK(CountOf(svg,
                "<text x=\"10\" y=\"20\" font-size=\"10\" fill=\"#ffffff\" "
                "text-anchor=\"end\">a &lt; b &amp; \"c\" &gt; d?"
                "?"
                "?</text>") == 1);
  CHECK(CountOf(svg, "text-anchor=\"middle\" stroke=\"#000000\" stroke-width=\"4\">halo<") == 1);
}

TEST_CASE("every track is drawn small and whole") {
  for (const Track& track : AllTracks()) {
    INFO(track.name());
    const std::string svg = Draw(track, {});
    CHECK(svg.size() < 150000);
    CHECK(CountOf(svg, ">" + track.name() + "</text>") == 1);
    CHECK(CountOf(svg, " m long, ") == 1);
    CHECK(CountOf(svg, "#34373c") == 1);             // the road
    CHECK(CountOf(svg, "stroke=\"#f0be46\"") == 1);  // all dashes of the centerline
    CHECK(CountOf(svg, "fill=\"#969ca4\"") >= 2);    // arrows
    CHECK(CountOf(svg, "nan") + CountOf(svg, "inf") == 0);
    CHECK(svg.ends_with("</svg>\n"));
  }
}

TEST_CASE("a driven line keeps its colors and its legend") {
  DrivenLine line;
  line.value_label = "speed, m/s";
  const Track track = MakeTrack(CircleRows(2, 1, 60));
  for (int i = 0; i <= 5000; ++i) {
    line.points_m.push_back(track.PointAt(track.length_m() * i / 5000, 0.2));
    line.values.push_back(1 + i / 5000.0);
  }
  line.points_m.push_back({NAN, 0});
  line.values.push_back(NAN);
  const std::string svg = Draw(track, {line});
  CHECK(svg.size() < 150000);  // 5,000 points, 15 bytes each
  CHECK(CountOf(svg, "stroke=\"#3c6eff\"") == 1);
  CHECK(CountOf(svg, "stroke=\"#f54637\"") == 1);
  CHECK(CountOf(svg, ">speed, m/s</text>") == 1);
  CHECK(CountOf(svg, ">1.00</text>") == 1);
  CHECK(CountOf(svg, ">2.00</text>") == 1);
  CHECK(CountOf(svg, "nan") == 0);
}

TEST_CASE("a driven line is broken where the car was put somewhere else") {
  const Track track = MakeTrack(CircleRows(2, 1, 60));
  // the pieces of the one color of a line of one value
  const auto num_pieces = [&](bool has_break) {
    DrivenLine line;
    for (int i = 0; i < 20; ++i) {
      line.Add(track.PointAt(track.length_m() * i / 20, 0), 1);
      if (has_break && i == 9) line.Break();
    }
    PictureOptions options;
    options.show_profile = true;
    const std::string svg = Draw(track, {line}, options);
    CHECK(CountOf(svg, "nan") == 0);
    const size_t begin = svg.find("stroke=\"#6ee15a\"");
    REQUIRE(begin != svg.npos);
    return CountOf(svg.substr(begin, svg.find('\n', begin) - begin), "M");
  };
  CHECK(num_pieces(false) == 1);
  CHECK(num_pieces(true) == 2);
}

TEST_CASE("a picture's kind follows from its ending") {
  const TemporaryFolder folder;
  const Track track = MakeTrack(CircleRows(2, 1, 60));
  const auto begin_of = [&](const char* name) {
    REQUIRE(DrawTrackPicture(track, {}, {}, folder.path() / name).ok());
    return ReadFile(folder.path() / name).value().substr(0, 5);
  };
  CHECK(begin_of("a.svg") == "<?xml");
  CHECK(begin_of("a.b.png") == "\x89PNG\r");
  for (const char* const name : {"x.gif", "x", ".svg", "svg"}) {
    const Result<void> drawn = DrawTrackPicture(track, {}, {}, name);
    REQUIRE_FALSE(drawn.ok());
    CHECK(drawn.error().message ==
          std::string(name) +
              ": a picture of an unknown kind; expected a name that ends in .png or .svg");
  }
  PictureOptions options;
  options.width_px = 63;
  CHECK(DrawTrackSvg(track, {}, options, "x.svg").error().message ==
        "x.svg: a picture 63 pixels wide; expected 64 .. 8192");
  CHECK_FALSE(DrawTrackSvg(track, {}, {}, "/no-such-folder/x.svg").ok());
}

}  // namespace
}  // namespace lapforge::tracks
