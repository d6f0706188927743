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
///
/// A long pause takes the room of a short one.
struct MarbleColumns {
  private typealias Column = (frame: Int, shapes: [(line: Int, shape: MarbleShape)])

  /// A pause that is drawn shorter than it is.
  struct Pause: Equatable {
    let frames: Int
    let middle: Double
  }

  /// The positions of the frames with shapes.
  private let places: [Int: Double]
  /// The long pauses, in the order of time.
  let pauses: [Pause]
  /// The end of the last shape.
  let end: Double

  private static let widest = 26.0
  private static let narrowest = 9.0
  /// The room of a long pause, in frames.
  private static let shortenedFrames = 10

  /// - Parameters:
  ///   - lines: The shapes in each line.
  ///   - left: The position at which the lines begin.
  ///   - right: The position at which the lines end, if there is room.
  init(_ lines: [[MarbleShape]], from left: Double, to right: Double) {
    var shapes: [Int: [(line: Int, shape: MarbleShape)]] = [:]
    for (index, line) in lines.enumerated() {
      for shape in line { shapes[shape.frame, default: []].append((index, shape)) }
    }
    let columns: [Column] = shapes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    func places(unit: Double) -> [Double] {
      Self.places(columns, count: lines.count, from: left, unit: unit)
    }
    // The widest frames with which everything has room, to a hundredth of a pixel.
    var (low, high) = (Self.narrowest, Self.widest)
    while high - low > 0.01 {
      let unit = (low + high) / 2
      if Self.end(columns, places(unit: unit)) <= right { low = unit } else { high = unit }
    }
    let result = places(unit: low)
    self.places = Dictionary(uniqueKeysWithValues: zip(columns.map(\.frame), result))
    end = Self.end(columns, result)
    var (pauses, start, place): ([Pause], Int, Double) = ([], -1, left)
    for (column, next) in zip(columns, result) {
      let frames = column.frame - start - 1
      if frames > MarbleDiagram.longestPause {
        pauses.append(Pause(frames: frames, middle: (place + next) / 2))
      }
      (start, place) = (column.frame, next)
    }
    self.pauses = pauses
  }

  func place(of shape: MarbleShape) -> Double { (places[shape.frame] ?? 0) + shape.offset }

  private static func end(_ columns: [Column], _ places: [Double]) -> Double {
    zip(columns, places).flatMap { column, place in
      column.shapes.map { place + $0.shape.right }
    }.max() ?? 0
  }

  /// The positions of the columns.
  private static func places(
    _ columns: [Column], count: Int, from left: Double, unit: Double
  ) -> [Double] {
    // The end of the last shape of each line.
    var ends = Array(repeating: left, count: count)
    var (frame, place) = (-1, left + 4)
    return columns.map { column in
      let isLong = column.frame - frame - 1 > MarbleDiagram.longestPause
      let steps = isLong ? shortenedFrames : column.frame - max(frame, 0)
      for _ in 0..<max(steps, 0) { place += unit }
      frame = column.frame
      for (line, shape) in column.shapes where shape.width > 0 {
        place = max(place, ends[line] + shape.left + 1)
      }
      for (line, shape) in column.shapes { ends[line] = max(ends[line], place + shape.right) }
      return place
    }
  }
}
