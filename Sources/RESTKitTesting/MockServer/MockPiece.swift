import Foundation

/// A piece of a body, and what a ``MockServer`` waits for before it sends it.
///
/// ```swift
/// let gate = MockGate()
/// let pieces: [MockPiece] = ["data: a\n\n", .when(gate, "data: b\n\n")]
/// ```
public struct MockPiece: Sendable, ExpressibleByStringLiteral {
  let data: Data
  private(set) var wait = Duration.zero
  private(set) var gate: MockGate?
  /// The pause before each of its bytes; nil where they are sent together.
  private(set) var pace: Duration?

  /// A piece that is sent at once.
  public init(_ data: Data) {
    self.data = data
  }

  /// A text in UTF-8 that is sent at once.
  public init(stringLiteral text: String) {
    self.init(Data(text.utf8))
  }

  /// A piece that is sent some time after what was sent before it, in real time.
  public static func after(_ wait: Duration, _ data: Data) -> MockPiece {
    var piece = MockPiece(data)
    piece.wait = wait
    return piece
  }

  /// A text in UTF-8 that is sent some time after what was sent before it, in real time.
  public static func after(_ wait: Duration, _ text: String) -> MockPiece {
    after(wait, Data(text.utf8))
  }

  /// A piece that is sent when the gate is open.
  public static func when(_ gate: MockGate, _ data: Data) -> MockPiece {
    var piece = MockPiece(data)
    piece.gate = gate
    return piece
  }

  /// A text in UTF-8 that is sent when the gate is open.
  public static func when(_ gate: MockGate, _ text: String) -> MockPiece {
    when(gate, Data(text.utf8))
  }

  /// The same piece, byte by byte.
  func paced(_ pause: Duration?) -> MockPiece {
    var piece = self
    piece.pace = pause
    return piece
  }
}
