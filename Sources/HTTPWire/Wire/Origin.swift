import Foundation

/// An origin: scheme, host and port (RFC 6454 §4).
///
/// A secret of an API may be sent to its origin only.
package struct Origin: Hashable {
  let scheme: String
  let host: String
  let port: Int

  package init(_ url: URL) {
    scheme = url.scheme?.lowercased() ?? ""
    host = url.host?.lowercased() ?? ""
    port = url.port ?? (scheme == "https" ? 443 : 80)
  }
}
