/// A mark as it is drawn, with what it takes of the line.
struct MarbleShape {
  enum Form: Hashable {
    case marble(String)
    case request(String)
    case end
    case failure
    case begin
    case cancel
  }

  let form: Form
  let frame: Int
  /// Whether it was never sent, since the line was cancelled before.
  let isMissed: Bool
  /// From the place of its frame to its middle, in pixels.
  fileprivate(set) var offset = 0.0

  var width: Double {
    switch form {
    case .marble(let text), .request(let text):
      text.count == 1 ? 22 : Double(text.count) * MarbleText.letter + 12
    case .end: 6
    case .failure, .cancel: 16
    case .begin: 0
    }
  }

  var left: Double { width / 2 - offset }
  var right: Double { width / 2 + offset }
}

extension MarblePicture.Line {
  /// What there is to draw, in the order of time.
  var shapes: [MarbleShape] {
    var shapes: [MarbleShape] = []
    var isOver = false
    for event in diagram.events {
      var shape = MarbleShape(form: form(of: event.mark), frame: event.frame, isMissed: isOver)
      if let last = shapes.last, last.frame == shape.frame, last.width > 0 {
        shape.offset = last.right + shape.width / 2 + 1
      }
      shapes.append(shape)
      if diagram.kind != .subscriptions && event.mark == .cancel { isOver = true }
    }
    return shapes
  }

  private func form(of mark: MarbleEvent.Mark) -> MarbleShape.Form {
    switch mark {
    case .value(let text): diagram.kind == .demand ? .request("↑\(text)") : .marble(text)
    case .unlimited: .request("↑∞")
    case .finished: .end
    case .failure: .failure
    case .subscription: .begin
    case .cancel: .cancel
    }
  }
}

/// Where the frames of a panel stand: evenly, but for those that need more room.
struct MarbleColumns {
  /// The place of each frame.
  private let places: [Double]

  private static let widest = 26.0
  private static let narrowest = 9.0

  /// - Parameters:
  ///   - lines: What is drawn in each line.
  ///   - left: Where the lines begin.
  ///   - right: Where the lines end, if all has room there.
  init(_ lines: [[MarbleShape]], from left: Double, to right: Double) {
    // The widest frames with which everything has room, to a hundredth of a pixel.
    var (low, high) = (Self.narrowest, Self.widest)
    while high - low > 0.01 {
      let unit = (low + high) / 2
      if Self.end(lines, Self.places(lines, from: left, unit: unit)) <= right {
        low = unit
      } else {
        high = unit
      }
    }
    places = Self.places(lines, from: left, unit: low)
    end = Self.end(lines, places)
  }

  /// Where the last shape ends.
  let end: Double

  func place(of shape: MarbleShape) -> Double { places[shape.frame] + shape.offset }

  private static func end(_ lines: [[MarbleShape]], _ places: [Double]) -> Double {
    lines.joined().map { places[$0.frame] + $0.right }.max() ?? 0
  }

  private static func places(
    _ lines: [[MarbleShape]], from left: Double, unit: Double
  ) -> [Double] {
    let count = (lines.joined().map(\.frame).max() ?? 0) + 1
    var places: [Double] = []
    // Where the last shape of each line ends.
    var ends = lines.map { _ in left }
    for frame in 0..<count {
      var place = places.last.map { $0 + unit } ?? left + 4
      for (line, end) in zip(lines, ends) {
        for shape in line where shape.frame == frame && shape.width > 0 {
          place = max(place, end + shape.left + 1)
        }
      }
      places.append(place)
      for (index, line) in lines.enumerated() {
        for shape in line where shape.frame == frame {
          ends[index] = max(ends[index], place + shape.right)
        }
      }
    }
    return places
  }
}
