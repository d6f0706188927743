import Cases

/// The measurements as a table in Markdown.
struct Table {
  let measurements: [Measurement]

  var text: String {
    var lines = [
      line([
        "case", "unit", "Streams ns", "OpenCombine ns", "async ns", "lazy ns", "by hand ns",
        "ratio", "goal", "met", "allocations", "OpenCombine's",
      ]),
      line(["---", "---"] + Array(repeating: "--:", count: 6) + ["---", "---", "--:", "--:"]),
    ]
    lines += measurements.map(row)
    return lines.joined(separator: "\n")
  }

  private func row(_ measurement: Measurement) -> String {
    let verdicts = measurement.workCase.goal.verdicts(on: measurement, among: measurements)
    let missed = verdicts.filter { $0.isMet == false }.map(\.text)
    let met =
      if !missed.isEmpty {
        missed.count == verdicts.count ? "**no**" : "**no**: \(missed.joined(separator: ", "))"
      } else if verdicts.isEmpty || verdicts.contains(where: { $0.isMet == nil }) {
        "–"
      } else {
        "yes"
      }
    return line(
      [measurement.workCase.title, measurement.workCase.unit]
        + [.streams, .openCombine, .asyncSequences, .lazy, .byHand].map {
          (measurement.times[$0]?.significant) ?? "–"
        }
        + [
          ratio(of: measurement), verdicts.map(\.text).joined(separator: ", "),
          met,
          measurement.allocations[.streams]?.hundredths ?? "n/a",
          measurement.allocations[.openCombine]?.hundredths
            ?? (measurement.times[.openCombine] == nil ? "–" : "n/a"),
        ])
  }

  private func ratio(of measurement: Measurement) -> String {
    if let own = measurement.ratio(to: .streamsAlone) {
      let others = [
        measurement.ratio(of: .openCombine, to: .openCombineAlone)
          .map { "OpenCombine \($0.significant) ×" },
        measurement.machine.map { "the machine \($0.significant) ×" },
      ]
      return
        "\(own.significant) × one thread (\(others.compactMap(\.self).joined(separator: ", ")))"
    }
    if measurement.workCase == .values, let ratio = measurement.ratio(to: .asyncSequences) {
      return "\(ratio.significant) × AsyncStream"
    }
    let wakeUps = measurement.wakeUps.map { "\($0) wake-up\($0 == 1 ? "" : "s")" }
    let ratio = measurement.ratio(to: .openCombine).map { "\($0.significant) ×" }
    let parts = [ratio, wakeUps].compactMap(\.self)
    return parts.isEmpty ? "–" : parts.joined(separator: ", ")
  }

  private func line(_ cells: [String]) -> String {
    "| \(cells.joined(separator: " | ")) |"
  }
}

extension Double {
  /// Without a fraction that is none.
  var short: String {
    self == rounded() ? String(Int(self)) : String(self)
  }

  /// To two digits, or the whole number if that is longer.
  var significant: String {
    if self >= 9.95 { return String(Int(rounded())) }
    return self >= 0.995 ? String((self * 10).rounded() / 10) : hundredths
  }

  var hundredths: String {
    let hundredths = Int((self * 100).rounded())
    let rest = hundredths % 100
    return rest == 0
      ? String(hundredths / 100) : "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}
