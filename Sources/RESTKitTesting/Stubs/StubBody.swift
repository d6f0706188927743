import Foundation

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
    "The fixture \(path) cannot be read: \(reason) Check the path, and the target's resources."
  }
}
