import Foundation

/// The other end of a connection, as ``ExchangeMetrics/remoteAddress`` tells it.
package enum PeerAddress: Sendable, Equatable {
  case internet(address: String, port: Int?)
  case unixSocket(path: String)

  /// - Returns: nil for a text of neither form.
  package init?(_ text: String) {
    let scheme = "unix:"
    if text.hasPrefix(scheme) {
      self = .unixSocket(path: String(text.dropFirst(scheme.count)))
    } else if let colon = text.lastIndex(of: ":") {
      self = .internet(
        address: text[..<colon].trimmingCharacters(in: ["[", "]"]),
        port: Int(text[text.index(after: colon)...]))
    } else {
      return nil
    }
  }
}
