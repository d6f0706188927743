import Foundation
import RESTKit

extension Result where Success == Data, Failure == any Error {
  /// Returns a body of JSON text, unchanged.
  public static func json(_ text: String) -> Self {
    .success(Data(text.utf8))
  }

  /// Returns a value encoded as JSON, or the encoder's error as a failure.
  public static func json(encoding value: some Encodable) -> Self {
    Result { try JSONEncoder().encode(value) }
  }

  /// Returns a body read from a file, such as a JSON fixture.
  ///
  /// If the file cannot be read, returns a ``FixtureError`` that names it.
  ///
  /// - Parameter url: The file.
  public static func file(_ url: URL) -> Self {
    Result {
      do {
        return try Data(contentsOf: url)
      } catch {
        throw FixtureError(path: url.path, reason: "\(error.localizedDescription)")
      }
    }
  }

  /// Returns a failure: the exchange fails with this fault.
  public static func fault(_ fault: StubFault) -> Self {
    .failure(fault)
  }
}

/// An error that says why a fixture could not be read.
public struct FixtureError: Error, Sendable, CustomStringConvertible {
  public let path: String
  public let reason: String

  public var description: String {
    "The fixture \(path) cannot be read: \(reason) ".printable
      + "Check the path, and the target's resources."
  }
}

/// A piece of a stub's body, and the wait before the server sends it.
///
/// ```swift
/// let pieces: [StubPiece] = ["data: a\n\n", .after(.seconds(2), "data: b\n\n"), .wait(.seconds(1))]
/// ```
public struct StubPiece: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The bytes.
  ///
  /// A piece without bytes is only a wait.
  public let data: Data
  /// The time since the previous piece or the head; never negative.
  public let wait: Duration

  /// - Parameters:
  ///   - data: The bytes.
  ///   - wait: The time since the previous piece or the head. A negative time counts as zero.
  public init(_ data: Data, after wait: Duration = .zero) {
    self.data = data
    self.wait = max(wait, .zero)
  }

  /// Returns the pieces in which a whole body comes from a network.
  static func pieces(of body: Data) -> [StubPiece] {
    let size = 64 << 10
    guard body.count > size else { return [StubPiece(body)] }
    return stride(from: body.startIndex, to: body.endIndex, by: size).map { start in
      StubPiece(Data(body[start..<min(start + size, body.endIndex)]))
    }
  }

  /// Creates a piece of UTF-8 text that is sent at once.
  public init(stringLiteral text: String) {
    self.init(Data(text.utf8))
  }

  /// Returns a piece of UTF-8 text that is sent some time after the previous piece.
  public static func after(_ wait: Duration, _ text: String) -> StubPiece {
    StubPiece(Data(text.utf8), after: wait)
  }

  /// Returns a piece that is sent some time after the previous piece.
  public static func after(_ wait: Duration, _ data: Data) -> StubPiece {
    StubPiece(data, after: wait)
  }

  /// Returns a wait without bytes, before the next piece or the end.
  public static func wait(_ wait: Duration) -> StubPiece {
    StubPiece(Data(), after: wait)
  }
}
