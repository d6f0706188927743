import Foundation
import Measuring

/// The target of a case's calls.
struct Target: Sendable {
  /// The base URL, such as `https://127.0.0.1:8443`.
  let base: String
  /// The path below the base URL.
  let path: String
  let address: URL
  let traffic: Traffic

  /// The path of the small response.
  static let small = "json"

  init(base: String, path: String, traffic: Traffic) throws(Unsound) {
    guard let address = URL(string: "\(base)/\(path)") else { throw Unsound("invalid URL \(base)") }
    self.base = base
    self.path = path
    self.address = address
    self.traffic = traffic
  }
}
