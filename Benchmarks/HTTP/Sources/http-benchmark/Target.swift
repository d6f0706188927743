import Foundation
import Measuring

/// What the calls of a case get.
struct Target: Sendable {
  /// Such as `https://127.0.0.1:8443`.
  let base: String
  /// Below the base.
  let path: String
  let address: URL
  let traffic: Traffic

  init(base: String, path: String, traffic: Traffic) throws(Unsound) {
    guard let address = URL(string: "\(base)/\(path)") else { throw Unsound("\(base) is no URL") }
    self.base = base
    self.path = path
    self.address = address
    self.traffic = traffic
  }
}
