import Foundation
import Measuring

/// The runs of all points, each in a process of its own.
struct Passes {
  let options: Options
  /// The base URL of the server.
  let server: URL

  /// Runs all points forth, back and forth again, so that a load that comes or goes does not lean
  /// a line to one side.
  func survey() throws -> Survey {
    var survey = Survey()
    let points = Axis.allCases.flatMap(\.points)
    for pass in 0..<options.passes {
      for point in pass.isMultiple(of: 2) ? points : points.reversed() {
        if case .impossible = survey[point] { continue }
        try survey.add(try outcome(of: point), of: point)
      }
      say("pass \(pass + 1) of \(options.passes)")
    }
    return survey
  }

  private func outcome(of point: Point) throws -> Outcome {
    let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    let ended = try EndedProcess(
      program,
      ["--alone", point.name, "--url", server.absoluteString] + (options.isQuick ? ["--quick"] : [])
    )
    if ended.isKilled, ended.status == SIGALRM {
      return .impossible("takes longer than \(PointRun.limit) s")
    }
    guard ended.status == 0 else {
      throw Unsound("\(point.name) ended with status \(ended.status)")
    }
    return try JSONDecoder().decode(Outcome.self, from: Data(ended.output.utf8))
  }
}
