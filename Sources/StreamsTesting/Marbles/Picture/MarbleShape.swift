/// A mark of a drawing, with the room that it needs on the line.
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
  /// Whether it was never sent, because the line was cancelled before.
  let isMissed: Bool
  /// The distance from the position of its frame to its middle, in pixels.
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
  /// The shapes to draw, in the order of time.
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

/// The positions of a panel's frames, at equal distances unless a frame needs more room.
struct MarbleColumns {
  /// The position of each frame.
  private let places: [Double]

  private static let widest = 26.0
  private static let narrowest = 9.0

  /// - Parameters:
  ///   - lines: The shapes in each line.
  ///   - left: The position at which the lines begin.
  ///   - right: The position at which the lines end, if there is room.
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

  /// The end of the last shape.
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
    // The end of the last shape of each line.
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
