/// The directives of `Cache-Control`, in a request or in a response (RFC 9111 §5.2, RFC 5861, RFC
/// 8246).
///
/// If a directive has two values, the first one counts (RFC 9111 §4.2.1). A value that is not a
/// number is read in the strictest way: as no lifetime, or as no permission to be stale. Directives
/// for shared caches and unknown ones are ignored (RFC 9111 §5.2.3).
struct CacheControl: Hashable, Sendable {
  struct Flags: OptionSet, Hashable, Sendable {
    let rawValue: UInt16

    /// A `no-cache` without a list of fields.
    static let noCache = Flags(rawValue: 1 << 0)
    static let noStore = Flags(rawValue: 1 << 1)
    static let mustRevalidate = Flags(rawValue: 1 << 2)
    static let mustUnderstand = Flags(rawValue: 1 << 3)
    static let isPublic = Flags(rawValue: 1 << 4)
    static let isPrivate = Flags(rawValue: 1 << 5)
    static let immutable = Flags(rawValue: 1 << 6)
    static let onlyIfCached = Flags(rawValue: 1 << 7)
  }

  /// The maximum of a number.
  ///
  /// Larger numbers become this value (RFC 9111 §1.2.2).
  static let mostSeconds: Int64 = 2_147_483_648

  private(set) var flags: Flags = []
  private(set) var maxAge: Int64?
  /// The maximum staleness that a request accepts, in seconds; `mostSeconds` for any staleness.
  private(set) var maxStale: Int64?
  private(set) var minFresh: Int64?
  private(set) var staleWhileRevalidate: Int64?
  private(set) var staleIfError: Int64?
  /// The fields of a `no-cache` with a list, in lower case.
  private(set) var noCacheFields: [String] = []

  init() {}

  init(_ headers: HTTPHeaders) {
    var seen: Set<String> = []
    for (name, value) in headers where HTTPHeaders.isSameName(name, "Cache-Control") {
      read(value, seen: &seen)
    }
  }

  /// - Parameter line: The lines of the field, joined or alone.
  init(line: String) {
    var seen: Set<String> = []
    read(line, seen: &seen)
  }

  /// The directives that `Pragma: no-cache` stands for (RFC 9111 §5.4).
  static let noCache: CacheControl = {
    var control = CacheControl()
    control.flags = .noCache
    return control
  }()

  private mutating func read(_ line: String, seen: inout Set<String>) {
    var reader = CacheDirectiveReader(line)
    while let directive = reader.next() {
      take(directive, isFirst: seen.insert(directive.name).inserted)
    }
  }

  private mutating func take(_ directive: CacheDirectiveReader.Directive, isFirst: Bool) {
    let isWhole = !directive.isMalformed
    switch directive.name {
    case "no-store": flags.insert(.noStore)
    case "no-cache":
      let fields = isWhole ? directive.members : []
      if fields.isEmpty { flags.insert(.noCache) } else { noCacheFields += fields }
    case "must-revalidate": flags.insert(.mustRevalidate)
    case "only-if-cached": flags.insert(.onlyIfCached)
    // Directives that relax the rules must be well formed.
    case "private": if isWhole { flags.insert(.isPrivate) }
    case "public": if isWhole { flags.insert(.isPublic) }
    case "immutable": if isWhole { flags.insert(.immutable) }
    case "must-understand": if isWhole { flags.insert(.mustUnderstand) }
    default: if isFirst { takeSeconds(directive) }
    }
  }

  private mutating func takeSeconds(_ directive: CacheDirectiveReader.Directive) {
    let seconds = directive.seconds(upTo: Self.mostSeconds)
    switch directive.name {
    case "max-age": maxAge = seconds ?? 0
    case "min-fresh": minFresh = seconds ?? Self.mostSeconds
    case "max-stale":
      maxStale =
        directive.argument == nil && !directive.isMalformed ? Self.mostSeconds : seconds
    case "stale-while-revalidate": staleWhileRevalidate = seconds
    case "stale-if-error": staleIfError = seconds
    default: break
    }
  }
}

/// A reader of a `Cache-Control` line, directive by directive (RFC 9111 §5.2).
///
/// An argument is a token or a quoted text. The reader skips anything else up to the next comma
/// outside of quotes.
private struct CacheDirectiveReader {
  struct Directive {
    /// The name in lower case.
    let name: String
    let argument: String?
    /// Whether the directive violates the grammar.
    let isMalformed: Bool

    /// The argument as a list of names, in lower case.
    var members: [String] {
      guard let argument else { return [] }
      return argument.utf8.split(separator: UInt8(ascii: ",")).compactMap { part in
        let name = Substring(part).trimmingBlanks.lowercased()
        return name.isEmpty ? nil : name
      }
    }

    /// The argument as a number; nil if it does not consist of digits.
    func seconds(upTo most: Int64) -> Int64? {
      guard let argument, !isMalformed else { return nil }
      var reader = FieldReader(argument)
      guard let number = reader.number(upTo: most), reader.isAtEnd else { return nil }
      return number
    }
  }

  private let bytes: [UInt8]
  private var place = 0

  init(_ line: String) {
    bytes = Array(line.utf8)
  }

  /// - Returns: nil at the end.
  mutating func next() -> Directive? {
    while true {
      while let byte = current, byte.isBlank || byte == UInt8(ascii: ",") { place += 1 }
      guard current != nil else { return nil }
      let name = token()
      guard !name.isEmpty else {
        _ = skipToComma()
        continue
      }
      var argument: String?
      var isWhole = true
      if current == UInt8(ascii: "=") {
        place += 1
        if current == UInt8(ascii: "\"") {
          (argument, isWhole) = quoted()
        } else {
          argument = token()
          isWhole = argument?.isEmpty == false
        }
      }
      let isMalformed = skipToComma() || !isWhole
      return Directive(name: name.lowercased(), argument: argument, isMalformed: isMalformed)
    }
  }

  private var current: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func token() -> String {
    let start = place
    while let byte = current, RequestValidation.isTokenByte(byte) { place += 1 }
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  /// - Returns: The text, and whether it had a closing quote.
  private mutating func quoted() -> (String, Bool) {
    place += 1
    var text: [UInt8] = []
    while let byte = current {
      place += 1
      if byte == UInt8(ascii: "\"") { return (String(decoding: text, as: UTF8.self), true) }
      if byte == UInt8(ascii: "\\"), let escaped = current {
        place += 1
        text.append(escaped)
      } else {
        text.append(byte)
      }
    }
    return (String(decoding: text, as: UTF8.self), false)
  }

  /// - Returns: Whether the skipped text had more than blanks.
  private mutating func skipToComma() -> Bool {
    var isMore = false
    while let byte = current, byte != UInt8(ascii: ",") {
      if byte == UInt8(ascii: "\"") { _ = quoted() } else { place += 1 }
      if !byte.isBlank { isMore = true }
    }
    return isMore
  }
}
