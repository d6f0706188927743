import Foundation
import Measuring

/// The figures as a picture: a panel for each axis, of what a call takes and of what the process
/// has.
struct Drawing {
  let survey: Survey

  private static let width = 400.0
  private static let left = 58.0
  private static let right = 384.0
  private static let head = 92.0
  private static let panel = 306.0

  private static let note = "#5c646e"
  private static let line = "#d5d9de"
  private static let bend = "#b3261e"

  var svg: String {
    let height = Self.head + Self.panel * Double(Axis.allCases.count)
    let title = "What a call takes at scale"
    let panels = Axis.allCases.enumerated().flatMap { index, axis in
      panel(axis, top: Self.head + Self.panel * Double(index))
    }
    return
      ([
        #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(Self.width.coordinate) "#
          + #"\#(height.coordinate)" width="100%" role="img" aria-label="\#(title)" "#
          + ##"class="scale" fill="#1c2024" font-family="sans-serif" font-size="12">"##,
        "<title>\(title)</title>", "<desc>\(description.escaped)</desc>", style,
        ##"<rect class="page" fill="#ffffff" width="100%" height="100%" rx="8"/>"##,
        text(title, x: 14, y: 26, size: 15, isBold: true),
      ] + legend + panels + ["</svg>", ""]).joined(separator: "\n")
  }

  /// All figures in words.
  private var description: String {
    Axis.allCases.flatMap { axis in
      ["\(axis.title): \(survey.verdict(on: axis))"]
        + axis.points.map { point in
          guard let figures = survey[point]?.figures else {
            guard case .impossible(let reason) = survey[point] else {
              return "\(point.name): not measured"
            }
            return "\(point.name): cannot run: \(reason)"
          }
          return "\(point.name): \(figures.processorTime.significant) µs of processor time, "
            + "\(figures.time.significant) µs by the clock, "
            + "\(figures.growthInMiB.significant) MiB, \(figures.threads) threads, "
            + "\(figures.descriptors) descriptors"
        }
    }.joined(separator: "\n")
  }

  private var style: String {
    let series = Series.call + Series.process
    func colors(_ color: (Series) -> String) -> String {
      series.map { "--\($0.style): \(color($0));" }.joined(separator: " ")
    }
    let rules = series.map {
      ".scale .\($0.style) path { stroke: var(--\($0.style)); } "
        + ".scale .\($0.style) circle { fill: var(--\($0.style)); }"
    }
    return """
      <style>
      .scale { --page: #ffffff; --text: #1c2024; --note: \(Self.note); --line: \(Self.line);
        --bend: \(Self.bend); \(colors(\.light)) }
      @media (prefers-color-scheme: dark) {
        .scale { --page: #15181c; --text: #eceff3; --note: #a3acb8; --line: #363d46;
          --bend: #ff8a80; \(colors(\.dark)) } }
      .scale text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans",
        sans-serif; font-variant-numeric: tabular-nums; fill: var(--text); }
      .scale .page { fill: var(--page); } .scale .grid { stroke: var(--line); }
      .scale .note { fill: var(--note); } .scale text.bend { fill: var(--bend); }
      .scale line.bend { stroke: var(--bend); }
      \(rules.joined(separator: "\n"))
      </style>
      """
  }

  private var legend: [String] {
    func row(_ title: String, _ series: [Series], y: Double) -> [String] {
      var x = 88.0
      var elements = [text(title, x: 14, y: y, color: .note)]
      for one in series {
        elements.append(group(one, [(x, y - 4), (x + 10, y - 4), (x + 20, y - 4)]))
        elements.append(text(one.label, x: x + 25, y: y))
        x += 37 + 6.6 * Double(one.label.count)
      }
      return elements
    }
    return row("µs a call", Series.call, y: 50) + row("the process", Series.process, y: 70)
  }

  private func panel(_ axis: Axis, top: Double) -> [String] {
    let values = axis.values.map(Double.init)
    let x = LogScale(
      numbers: (values.first ?? 1)...(values.last ?? 10), start: Self.left, end: Self.right)
    let bend = survey.bend(of: axis)
    var elements = [
      text(axis.title, x: 14, y: top + 14, size: 13, isBold: true),
      text(
        survey.verdict(on: axis), x: 14, y: top + 30,
        color: bend == nil ? .note : .bend),
      text("with \(axis.kept)", x: Self.right, y: top + 14, color: .note, anchor: "end"),
    ]
    elements += plot(Series.call, axis, x, top: top + 42, height: 110, floor: 1)
    elements += plot(Series.process, axis, x, top: top + 176, height: 86, floor: 0.1)
    let labeled =
      axis == .size ? axis.values.filter { $0.trailingZeroBitCount % 4 == 0 } : axis.values
    for value in labeled where axis == .size || x.ticks.contains(Double(value)) {
      let isLast = value == axis.values.last
      elements.append(
        text(
          axis.label(value), x: x.position(of: Double(value)) + (isLast ? 6 : 0), y: top + 280,
          size: 11, color: .note, anchor: isLast ? "end" : "middle"))
    }
    for point in axis.points where survey[point]?.figures == nil {
      elements.append(
        text(
          "×", x: x.position(of: Double(point.value)), y: top + 266, color: .note,
          anchor: "middle"))
    }
    if let bend {
      let place = x.position(of: Double(bend.value)).coordinate
      elements.append(
        #"<line class="bend" x1="\#(place)" x2="\#(place)" y1="\#((top + 42).coordinate)" "#
          + #"y2="\#((top + 262).coordinate)" stroke="\#(Self.bend)" stroke-dasharray="3 3"/>"#)
    }
    return elements
  }

  private func plot(
    _ series: [Series], _ axis: Axis, _ x: LogScale, top: Double, height: Double, floor: Double
  ) -> [String] {
    let lines = series.map { one in (one, one.runs(on: axis, in: survey)) }
    let y = LogScale(
      showing: lines.flatMap { $0.1.joined().map(\.number) }, floor: floor, start: top + height,
      end: top)
    var elements: [String] = []
    for tick in y.ticks {
      let place = y.position(of: tick)
      elements.append(
        #"<line class="grid" x1="\#(Self.left.coordinate)" x2="\#(Self.right.coordinate)" "#
          + #"y1="\#(place.coordinate)" y2="\#(place.coordinate)" stroke="\#(Self.line)"/>"#)
      let label = tick < 1 ? tick.short : Int(tick.rounded()).grouped
      elements.append(
        text(label, x: Self.left - 6, y: place + 4, size: 11, color: .note, anchor: "end"))
    }
    for (one, runs) in lines {
      for run in runs {
        elements.append(
          group(one, run.map { (x.position(of: Double($0.value)), y.position(of: $0.number)) }))
      }
    }
    return elements
  }

  /// Returns a line of a series through places, with a dot at each.
  private func group(_ series: Series, _ places: [(x: Double, y: Double)]) -> String {
    let path = places.map { "\($0.x.coordinate) \($0.y.coordinate)" }.joined(separator: "L")
    let dashes = series.dashes.map { #" stroke-dasharray="\#($0)""# } ?? ""
    let dots = places.map {
      #"<circle cx="\#($0.x.coordinate)" cy="\#($0.y.coordinate)" r="2.2" "#
        + #"fill="\#(series.light)"/>"#
    }
    return #"<g class="\#(series.style)"><path d="M\#(path)" fill="none" "#
      + #"stroke="\#(series.light)" stroke-width="1.6"\#(dashes)/>\#(dots.joined())</g>"#
  }

  private enum TextColor: String {
    case plain, note, bend

    var attributes: String {
      switch self {
      case .plain: ""
      case .note: #"class="note" fill="\#(Drawing.note)" "#
      case .bend: #"class="bend" fill="\#(Drawing.bend)" "#
      }
    }
  }

  private func text(
    _ words: String, x: Double, y: Double, size: Int = 12, isBold: Bool = false,
    color: TextColor = .plain, anchor: String = "start"
  ) -> String {
    #"<text \#(color.attributes)x="\#(x.coordinate)" y="\#(y.coordinate)" "#
      + #"font-size="\#(size)"\#(isBold ? #" font-weight="600""# : "") "#
      + #"text-anchor="\#(anchor)">\#(words.escaped)</text>"#
  }
}

extension Double {
  /// The number with one decimal at most, as a picture needs it.
  fileprivate var coordinate: String {
    ((self * 10).rounded() / 10).short
  }
}

extension String {
  /// The text as XML has it between tags.
  fileprivate var escaped: String {
    replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
