import Foundation
import Streams

extension Publisher where Output == RESTResponse {
  /// Prints one line for each signal that passes, with the bodies of responses.
  ///
  /// ```swift
  /// api.get(endpoint: "orders").print("orders", bodies: .byName)
  /// // orders: receive value: (GET https://api.example.com/v1/orders → 200 (17 bytes)
  /// // {"token":"<redacted>"})
  /// ```
  ///
  /// The line of a value and of a ``RESTError`` has the body in a line of its own, without what the
  /// redaction and the API's `secretHeaders` hide. A body of which no part may be shown, or that is
  /// no text, is its size. The other lines are those of `print(_:to:)`, and so are demand and
  /// threads.
  ///
  /// - Parameters:
  ///   - prefix: The text before each line, to which a colon is added.
  ///   - redaction: What bodies hide. With `strict`, the names of JSON members remain.
  ///   - stream: The stream that takes the lines, or nil for standard output. Each subscription has
  ///     its own copy.
  public func print(
    _ prefix: String = "", bodies redaction: Redaction,
    to stream: (any TextOutputStream & Sendable)? = nil
  ) -> Publishers.Print<Self> {
    print(
      prefix, to: stream,
      output: { "\($0)" + redaction.line(of: $0.data, in: $0.headers) },
      failure: { error in
        guard let error = error as? RESTError, let body = error.body, let head = error.response
        else { return "\(error)" }
        return "\(error)" + redaction.line(of: body, in: head.headers)
      })
  }
}

extension Redaction {
  /// The body of a response as a further line; empty for an empty body.
  fileprivate func line(of body: Data, in headers: HTTPHeaders) -> String {
    guard !body.isEmpty else { return "" }
    let shown = adding(headers.declaredSecrets).body(body, contentType: headers["Content-Type"])
    guard let shown, let text = String(validating: shown, as: UTF8.self) else {
      return "\n\(body.count) bytes, left out"
    }
    return "\n" + text
  }
}
