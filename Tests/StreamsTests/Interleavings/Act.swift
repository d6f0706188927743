import Streams

/// An action of one of two sources, or of the subscriber.
enum Act: Sendable, Equatable {
  case first(Int), second(Int)
  case firstEnds, secondEnds
  case firstFails, secondFails
  case cancel
}

/// The expected output of two sources in all their orders.
///
/// Each act gives lines, until one of them is `end` or `fail`.
protocol TwoSourceModel: SendableMetatype {
  init()
  mutating func take(_ act: Act) -> [String]
}

extension TwoSourceModel {
  /// The lines of a whole play.
  static func lines(of acts: [Act]) -> [String] {
    var model = Self()
    var lines: [String] = []
    for act in acts {
      if act == .cancel { return lines }
      for line in model.take(act) {
        lines.append(line)
        if line == "end" || line == "fail" { return lines }
      }
    }
    return lines
  }
}
