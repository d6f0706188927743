import Measuring

/// The figures in Markdown, with the places where they bend.
struct ScaleTable {
  let survey: Survey
  /// A sentence about the load of the machine.
  let load: String

  var text: String {
    [rows.joined(separator: "\n"), verdicts, load].joined(separator: "\n\n")
  }

  private var rows: [String] {
    let head = [
      markdownRow(["", "requests/s", "CPU µs", "memory MiB", "threads", "descriptors"]),
      markdownRow(["---"] + Array(repeating: "--:", count: 5)),
    ]
    return head
      + Axis.allCases.flatMap { axis in
        [markdownRow(["**\(axis.title)** (\(axis.kept))"] + Array(repeating: "", count: 5))]
          + axis.points.map(row)
      }
  }

  private func row(_ point: Point) -> String {
    switch survey[point] {
    case .measured(let figures):
      markdownRow([
        point.name, Int(figures.callsPerSecond.rounded()).grouped,
        figures.processorTime.grouped, figures.growthInMiB.significant,
        figures.threads.grouped, figures.descriptors.grouped,
      ])
    case .impossible(let reason):
      markdownRow([point.name, "cannot run: \(reason)"] + Array(repeating: "–", count: 4))
    case .wrong, nil:
      markdownRow([point.name, "not measured"] + Array(repeating: "–", count: 4))
    }
  }

  private var verdicts: String {
    "A line bends at the first point whose processor time a call exceeds "
      + "\(Bend.factor.hundredths) times the lowest before it. By this rule: "
      + Axis.allCases.map { "\($0.rawValue): \(survey.verdict(on: $0))" }.joined(separator: "; ")
      + "."
  }
}
