import Foundation

/// The other end of a connection, parsed from ``ExchangeMetrics/remoteAddress``.
package enum PeerAddress: Sendable, Equatable {
  case internet(address: String, port: Int?)
  case unixSocket(path: String)

  /// - Returns: The address, or nil if the text has neither form.
  package init?(_ text: String) {
    let scheme = "unix:"
    if text.hasPrefix(scheme) {
      self = .unixSocket(path: String(text.dropFirst(scheme.count)))
    } else if let colon = text.lastIndex(of: ":") {
      self = .internet(
        address: text[..<colon].trimmingCharacters(in: ["[", "]"]),
        port: UInt16(text[text.index(after: colon)...]).map { Int($0) })
    } else {
      return nil
    }
  }
}
