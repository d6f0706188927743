/// The directives of `Cache-Control`, in a request or in a response (RFC 9111 §5.2, RFC 5861, RFC
/// 8246).
///
/// If a directive has two values, the first one counts (RFC 9111 §4.2.1). A value that is not a number
/// is read in the strictest way: as no lifetime, or as no permission to be stale. Directives for shared
/// caches and unknown ones are ignored (RFC 9111 §5.2.3).
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
