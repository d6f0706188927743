import Foundation

extension Result where Success == Data, Failure == any Error {
  /// A body of JSON text, as it is given.
  public static func json(_ text: String) -> Self {
    .success(Data(text.utf8))
  }

  /// A body of a value encoded as JSON; a failure where the encoder throws.
  public static func json(encoding value: some Encodable) -> Self {
    Result { try JSONEncoder().encode(value) }
  }

  /// A body read from a file, such as a JSON fixture; a failure that names the file where it cannot
  /// be read.
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

  /// No whole response: the exchange goes wrong in this way.
  public static func fault(_ fault: StubFault) -> Self {
    .failure(fault)
  }
}

/// Why a fixture could not be read.
public struct FixtureError: Error, Sendable, CustomStringConvertible {
  public let path: String
  public let reason: String

  public var description: String {
    "The fixture \(path) cannot be read: \(reason) Check the path, and the target's resources."
  }
}
