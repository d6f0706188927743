import Foundation
import RESTKit

/// The reason why a file is not HAR 1.2, with the place in the file.
///
/// Its text names places and types, but none of the file's content.
public struct HARError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
  /// The place, such as `log.entries[3].response.status`.
  public let path: String
  /// The expected value.
  public let expectation: String

  public var description: String {
    "The HAR file cannot be used: \(path) is not \(expectation). Export it again as HAR 1.2."
  }

  public var errorDescription: String? { description }
}
