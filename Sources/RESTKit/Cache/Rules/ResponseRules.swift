import Foundation

/// The rules for reusing a response, read once from its head (RFC 9111 §4.2 and §5.2.2).
///
/// It is a reference, because it is passed along with the response.
final class ResponseRules: Sendable {
  let control: CacheControl
  let etag: EntityTag?
  /// `Last-Modified` as it was sent, if it is a date.
  let lastModified: String?
  /// `Last-Modified` in seconds since 1970.
  let lastModifiedSeconds: Double?
  /// The time of the response, from its `Date` or else its arrival, in seconds since 1970.
  let date: Double
  let kind: Freshness.Kind
  /// The lifetime in seconds.
  ///
  /// It is never longer than the greatest age (RFC 9111 §1.2.2).
  let lifetime: Double
  /// Whether `Vary` names a field.
  let hasVary: Bool

  /// The age at arrival, in seconds (RFC 9111 §4.2.3).
  private let initialAge: Double
  private let responseTime: Double

  /// The part of the time since the last modification that is used as the lifetime, and its maximum
  /// in seconds (RFC 9111 §4.2.2).
  private static let heuristicPart = 0.1
  private static let heuristicMost = 86_400.0

  init(_ head: ResponseHead, requestTime: Date, responseTime: Date) {
    let headers = head.headers
    let arrival = responseTime.timeIntervalSince1970
    let control = CacheControl(headers)
    // For a field that may occur only once, the first line counts.
    let date =
      headers.values(for: "Date").first.flatMap { CacheDate.seconds($0, now: responseTime) }
      ?? arrival
    let lastModified = headers.values(for: "Last-Modified").first
    let modified = lastModified.flatMap { CacheDate.seconds($0, now: responseTime) }
    self.control = control
    self.date = date
    self.lastModified = modified == nil ? nil : lastModified
    lastModifiedSeconds = modified
    etag = headers.values(for: "ETag").first.map { EntityTag($0) }
    hasVary = !(VaryingFields.names(of: headers) ?? []).isEmpty

    let expires = headers.values(for: "Expires")
    if let maxAge = control.maxAge {
      kind = .explicit
      lifetime = Double(maxAge)
    } else if !expires.isEmpty {
      kind = .explicit
      // Two different values, or a value that is not a date, count as a date in the past (RFC 9111
      // §5.3).
      let isOne = expires.allSatisfy { $0 == expires[0] }
      let end = isOne ? CacheDate.seconds(expires[0], now: responseTime) : nil
      lifetime = min(max(0, (end ?? date) - date), Double(CacheControl.mostSeconds))
    } else if let modified,
      Self.isHeuristicallyCacheable(head.statusCode) || control.flags.contains(.isPublic)
    {
      kind = .heuristic
      lifetime = min(max(0, (date - modified) * Self.heuristicPart), Self.heuristicMost)
    } else {
      kind = .none
      lifetime = 0
    }

    let apparentAge = max(0, arrival - date)
    let delay = max(0, arrival - requestTime.timeIntervalSince1970)
    initialAge = max(apparentAge, Double(Self.age(headers)) + delay)
    self.responseTime = arrival
  }

  var hasValidator: Bool { etag != nil || lastModified != nil }

  /// Returns the freshness at a time.
  ///
  /// A response from more than a minute in the future was stored by a wrong clock, so its age is
  /// unknown.
  func freshness(now: Date) -> Freshness {
    let resident = now.timeIntervalSince1970 - responseTime
    let age = resident < -60 ? .infinity : initialAge + max(0, resident)
    let most = Double(CacheControl.mostSeconds)
    return Freshness(kind: kind, lifetime: lifetime, age: min(age, most))
  }

  /// Returns the first member of the first line; zero if it is not a number (RFC 9111 §5.1).
  private static func age(_ headers: HTTPHeaders) -> Int64 {
    guard let line = headers.values(for: "Age").first else { return 0 }
    var reader = FieldReader(line)
    reader.skipBlanks()
    guard let seconds = reader.number(upTo: CacheControl.mostSeconds) else { return 0 }
    reader.skipBlanks()
    return reader.isAtEnd || reader.take(",") ? seconds : 0
  }

  /// Whether a response with a status may be stored without an explicit lifetime (RFC 9110 §15.1).
  ///
  /// This cache excludes 206.
  static func isHeuristicallyCacheable(_ status: Int) -> Bool {
    switch status {
    case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
    default: false
    }
  }
}

extension StoredResponse {
  /// The rules for reusing the response.
  var rules: ResponseRules {
    knownRules ?? ResponseRules(head, requestTime: requestTime, responseTime: responseTime)
  }

  /// Returns the remaining lifetime in whole seconds; nil if there is no lifetime.
  func ttl(now: Date) -> Int? {
    let freshness = rules.freshness(now: now)
    return freshness.kind == .none ? nil : freshness.ttl
  }

  /// This response with its rules read, so that a hit need not read them.
  var readingRules: StoredResponse {
    var read = self
    read.knownRules = rules
    return read
  }
}

/// The age of a response, and its lifetime (RFC 9111 §4.2).
struct Freshness: Hashable, Sendable {
  enum Kind: Sendable {
    /// The server gave the lifetime, perhaps in an invalid form.
    case explicit
    /// The cache computed the lifetime from the last modification (RFC 9111 §4.2.2).
    case heuristic
    /// There is no lifetime.
    case none
  }

  let kind: Kind
  /// In seconds.
  let lifetime: Double
  /// In seconds.
  let age: Double

  var isFresh: Bool { lifetime > age }

  /// The time since the lifetime ended, in seconds; negative while the response is fresh.
  var staleness: Double { age - lifetime }

  /// The remaining lifetime in whole seconds; negative for a stale response.
  var ttl: Int { Int(clamping: Int64((lifetime - age).rounded(.down))) }
}
