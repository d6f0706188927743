/// The head of a request to a loopback listener: the part of HTTP/1.1 that a redirect needs.
struct LoopbackRequest {
  let method: Substring
  /// The path and the query.
  let target: Substring
  let host: Substring?

  /// The maximum length of a head, in bytes.
  static let maximumLength = 16_384

  /// - Parameter bytes: The bytes that have arrived so far.
  /// - Returns: nil until the head is complete, and for bytes that are not a head.
  init?(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self), text.hasSuffix("\r\n\r\n") else {
      return nil
    }
    let lines = text.split(separator: "\r\n")
    let words = lines.first?.split(separator: " ", omittingEmptySubsequences: false) ?? []
    guard words.count == 3, words[2].hasPrefix("HTTP/1."), words[1].hasPrefix("/") else {
      return nil
    }
    method = words[0]
    target = words[1]
    let hosts = lines.dropFirst().compactMap { line -> Substring? in
      let name = line.prefix { $0 != ":" }
      guard name.lowercased() == "host" else { return nil }
      return line.dropFirst(name.count + 1).drop { $0 == " " }
    }
    host = hosts.count == 1 ? hosts[0] : nil
  }

  /// Returns whether the bytes end a head.
  static func isWhole(_ bytes: [UInt8]) -> Bool { bytes.suffix(4) == [13, 10, 13, 10] }
}
