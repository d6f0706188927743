import Foundation
import RESTKit

/// Why a file is not HAR 1.2, and where.
///
/// Its text names places and kinds, and nothing that stands in the file.
public struct HARError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
  /// The place, such as `log.entries[3].response.status`.
  public let path: String
  /// What it should be.
  public let expectation: String

  public var description: String {
    "The HAR file cannot be used: \(path) is not \(expectation). Export it again as HAR 1.2."
  }

  public var errorDescription: String? { description }
}
