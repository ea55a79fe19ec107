#include "tracks/picture/svg_canvas.h"

#include <algorithm>
#include <cmath>

#include "sim/base/strings.h"

namespace lapforge::tracks {
namespace {

constexpr double kCapitalHeight = 0.72;  // of the font's size, in common sans-serif fonts
constexpr double kStroke = 0.1;          // of a letter's height, likewise

// Hundredths of a pixel, without needless digits.
std::string Number(double value) { return StrCat(std::round(value * 100) / 100 + 0.0); }

std::string PlaceOf(Vec2 point) { return StrCat(Number(point.x), " ", Number(point.y)); }

std::string PathOf(std::span<const Vec2> points) {
  std::string path;
  for (const Vec2 point : points) path += StrCat(path.empty() ? "M" : "L", PlaceOf(point));
  return path;
}

std::string HexOf(Color color) {
  std::string hex = "#";
  for (const uint8_t channel : {color.red, color.green, color.blue}) {
    for (const int digit : {channel >> 4, channel & 15}) hex += "0123456789abcdef"[digit];
  }
  return hex;
}

// Text as XML holds it.
std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += c >= ' ' && c <= '~' ? c : '?';
    }
  }
  return escaped;
}

}  // namespace

SvgCanvas::SvgCanvas(int width_px, int height_px, Color background) {
  body_ = StrCat(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"",
      width_px, "\" height=\"", height_px, "\" viewBox=\"0 0 ", width_px, " ", height_px,
      "\" fill=\"none\" fill-rule=\"evenodd\" stroke-linecap=\"round\" "
      "stroke-linejoin=\"round\" font-family=\"Helvetica, Arial, sans-serif\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"",
      HexOf(background), "\"/>\n");
}

void SvgCanvas::FillPolygons(const std::vector<std::vector<Vec2>>& contours, Color color) {
  EndLine();
  std::string path;
  for (const std::vector<Vec2>& contour : contours) path += PathOf(contour) + "Z";
  body_ += StrCat("<path fill=\"", HexOf(color), "\" d=\"", path, "\"/>\n");
}

void SvgCanvas::DrawLine(std::span<const Vec2> points, double thickness_px, Color color) {
  if (points.empty()) return;
  const std::string style =
      StrCat("stroke=\"", HexOf(color), "\" stroke-width=\"", Number(thickness_px), "\"");
  if (style != line_style_) EndLine();
  line_style_ = style;
  const bool goes_on = !line_.empty() && points.front() == line_end_;
  line_ += goes_on ? "L" + PathOf(points.subspan(1)).substr(1) : PathOf(points);
  line_end_ = points.back();
}

void SvgCanvas::FillCircle(Vec2 center, double radius_px, Color color) {
  EndLine();
  body_ += StrCat("<circle fill=\"", HexOf(color), "\" cx=\"", Number(center.x), "\" cy=\"",
                  Number(center.y), "\" r=\"", Number(radius_px), "\"/>\n");
}

void SvgCanvas::DrawText(const std::string& text, Vec2 position, const TextStyle& style) {
  EndLine();
  const char* const anchors[] = {"start", "middle", "end"};
  body_ +=
      StrCat("<text x=\"", Number(position.x), "\" y=\"", Number(position.y), "\" font-size=\"",
             Number(style.height_px / kCapitalHeight), "\" fill=\"", HexOf(style.color),
             "\" text-anchor=\"", anchors[static_cast<int>(style.align)], "\"");
  // bolder than the font is by itself
  const double outline_px = style.thickness_px - kStroke * style.height_px;
  if (outline_px > 0) {
    body_ +=
        StrCat(" stroke=\"", HexOf(style.color), "\" stroke-width=\"", Number(outline_px), "\"");
  }
  body_ += StrCat(">", Escaped(text), "</text>\n");
}

void SvgCanvas::EndLine() {
  if (!line_.empty()) body_ += StrCat("<path ", line_style_, " d=\"", line_, "\"/>\n");
  line_.clear();
}

std::string SvgCanvas::Encode() {
  EndLine();
  return body_ + "</svg>\n";
}

}  // namespace lapforge::tracks
