import Cases
import Measuring

/// A table of the measurements in Markdown.
struct Table {
  let measurements: [Measurement]

  var text: String {
    var lines = [
      markdownRow([
        "case", "unit", "Streams ns", "OpenCombine ns", "async ns", "lazy ns", "by hand ns",
        "ratio", "goal", "met", "allocations", "OpenCombine's",
      ]),
      markdownRow(
        ["---", "---"] + Array(repeating: "--:", count: 6) + ["---", "---", "--:", "--:"]),
    ]
    lines += measurements.map(row)
    return lines.joined(separator: "\n")
  }

  private func row(_ measurement: Measurement) -> String {
    let verdicts = measurement.workCase.goal.verdicts(on: measurement, among: measurements)
    return markdownRow(
      [measurement.workCase.title, measurement.workCase.unit]
        + [.streams, .openCombine, .asyncSequences, .lazy, .byHand].map {
          (measurement.times[$0]?.significant) ?? "–"
        }
        + [
          ratio(of: measurement), verdicts.map(\.text).joined(separator: ", "),
          met(verdicts),
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
}
