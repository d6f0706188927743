import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A mask that finds known secrets by their values.
///
/// A short secret is left out, because it is too likely to be a part of another text. A host, a
/// word of a path and a name stay, although they are also secrets elsewhere.
struct SecretValueMask {
  private let search: TextSearch
  /// What replaces each text, in the order of the search.
  private let replacements: [[UInt8]]
  private let wordSecrets: Set<[UInt8]>

  /// - Parameter placeholders: The placeholders of the secrets.
  init(_ placeholders: [String: String]) {
    var pairs: [String: String] = [:]
    let long = placeholders.filter { $0.key.utf8.count >= 8 }
    for (secret, placeholder) in long.sorted(by: { $0.key < $1.key }) {
      let slashed = { (text: String) in text.replacing("/", with: #"\/"#) }
      let spellings: [(String) -> String] = [
        { $0 }, slashed, \.inJSON, { slashed($0.inJSON) }, \.inMarkup, \.inFields,
        { $0.replacing(" ", with: "+") }, { $0.inFields.replacing("%20", with: "+") },
        { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? $0 },
      ]
      for spelling in spellings {
        pairs[spelling(secret)] = pairs[spelling(secret)] ?? spelling(placeholder)
      }
      let encoded = Data(secret.utf8).base64EncodedString()
      pairs[encoded] = pairs[encoded] ?? placeholder
    }
    // A placeholder is not searched for secrets.
    for placeholder in placeholders.values { pairs[placeholder] = placeholder }
    let sorted = pairs.sorted { $0.key < $1.key }
    search = TextSearch(sorted.map(\.key))
    replacements = sorted.map { Array($0.value.utf8) }
    wordSecrets = Set(sorted.map { Array($0.key.utf8) }.filter(Self.isWord))
  }

  /// Returns bytes without the secrets.
  private func masked(_ bytes: [UInt8]) -> [UInt8] {
    search.replacing(in: bytes) { index, range in
      let place = SecretPlace(of: range, in: bytes)
      let isWord = wordSecrets.contains(Array(bytes[range]))
      return place.isHost || isWord && place.isWord ? nil : replacements[index]
    }
  }

  /// Returns a text without the secrets.
  func masked(_ text: String) -> String {
    String(decoding: masked(Array(text.utf8)), as: UTF8.self)
  }

  /// Returns a URL without the secrets.
  ///
  /// Its host, and the names in its query, stay.
  func url(_ text: String) -> String {
    let start = text.firstRange(of: "://")?.upperBound ?? text.startIndex
    let path = text[start...].firstIndex { "/?#".contains($0) } ?? text.endIndex
    let query = text[path...].firstIndex { "?#".contains($0) } ?? text.endIndex
    return text[..<path] + masked(String(text[path..<query])) + fields(String(text[query...]))
  }

  private func fields(_ text: String) -> String {
    text.split(separator: "&", omittingEmptySubsequences: false).map { field in
      guard let equals = field.firstIndex(of: "=") else { return masked(String(field)) }
      return field[...equals] + masked(String(field[field.index(after: equals)...]))
    }
    .joined(separator: "&")
  }

  /// Returns a body without the secrets; the names in it stay.
  func body(_ body: Data, type: String?) -> Data {
    let type = type?.lowercased() ?? ""
    if type.hasPrefix("multipart/") {
      return MultipartMask.masked(body) { Data(masked(Array($1))) }
    }
    guard let text = String(validating: body, as: UTF8.self) else {
      return Data(masked(Array(body)))
    }
    if type.hasPrefix("application/x-www-form-urlencoded") { return Data(fields(text).utf8) }
    let rules = JSONMask.Rules(meaning: { _ in .plain }, secret: { _, _ in nil }) { text in
      let masked = self.masked(text)
      return masked == text ? nil : masked
    }
    return JSONMask.masked(body, by: rules) ?? Data(masked(Array(body)))
  }

  /// Whether a text consists of words, each in one case or with a capital at its beginning, and so
  /// may be a part of a URL by chance.
  private static func isWord(_ text: [UInt8]) -> Bool {
    text.split(whereSeparator: { "-_.".utf8.contains($0) }).allSatisfy { word in
      let isUpper = { (byte: UInt8) in (0x41...0x5A).contains(byte) }
      let isLower = { (byte: UInt8) in (0x61...0x7A).contains(byte) }
      return word.allSatisfy(isUpper)
        || (isUpper(word[word.startIndex]) || isLower(word[word.startIndex]))
          && word.dropFirst().allSatisfy(isLower)
    }
  }
}

/// What stands around a text that equals a secret.
private struct SecretPlace {
  private let before: ArraySlice<UInt8>
  private let range: Range<Int>
  private let bytes: [UInt8]

  init(of range: Range<Int>, in bytes: [UInt8]) {
    before = bytes[..<range.lowerBound]
    self.range = range
    self.bytes = bytes
  }

  /// Whether it is the whole host of a URL, with a dot in it.
  ///
  /// Behind the `//` of an app's own scheme there may be a secret.
  var isHost: Bool {
    let host = bytes[range]
    return host.contains(UInt8(ascii: ".")) && !host.contains { (0x41...0x5A).contains($0) }
      && ends(before, with: Self.authorities) && isAtEnd(Self.hostEnds)
  }

  /// Whether it is a part of a host, a part of a path, or a name.
  var isWord: Bool {
    if isAtEnd(Self.pathEnds), ends(before, with: ["/", "%2F", "%2f"]) { return true }
    let host = before.suffix(while: { byte in
      byte.isASCIILetter || byte.isASCIIDigit || "-.".utf8.contains(byte)
    })
    if (0...host.count).contains(where: { ends(before.dropLast($0), with: Self.authorities) }) {
      return true
    }
    if ends(before, with: ["<", "</", "name=\"", "name='"]) { return true }
    let after = bytes[range.upperBound...]
    let colon = after.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) || "\"'".utf8.contains($0) }
    return after.first == UInt8(ascii: "=")
      || after.first == UInt8(ascii: "\"") && colon.first == UInt8(ascii: ":")
  }

  private func isAtEnd(_ ends: Set<UInt8>) -> Bool {
    range.upperBound == bytes.count || ends.contains(bytes[range.upperBound])
  }

  private func ends(_ text: ArraySlice<UInt8>, with ends: [String]) -> Bool {
    ends.contains { text.suffix($0.utf8.count).elementsEqual($0.utf8) }
  }

  private static let authorities = ["//", #"\/\/"#, "%2F%2F", "%2f%2f"]

  private static let pathEnds = Set(" \t\r\n/?#\"'<>)&,;\\%".utf8)

  private static let hostEnds = pathEnds.union(":".utf8)
}

extension ArraySlice<UInt8> {
  /// The longest end whose bytes all meet a condition.
  fileprivate func suffix(while isPart: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    self[(lastIndex { !isPart($0) }.map { $0 + 1 } ?? startIndex)...]
  }
}
