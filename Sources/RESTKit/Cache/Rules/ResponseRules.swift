import Foundation

/// What a response's head says of its reuse, read once (RFC 9111 §4.2 and §5.2.2).
///
/// A reference: it goes with the answer from place to place.
final class ResponseRules: Sendable {
  let control: CacheControl
  let etag: EntityTag?
  /// `Last-Modified` as it was sent, where it is a date.
  let lastModified: String?
  /// The same in seconds since 1970.
  let lastModifiedSeconds: Double?
  /// When it was made, by its `Date` or else by its arrival, in seconds since 1970.
  let date: Double
  let kind: Freshness.Kind
  /// In seconds.
  let lifetime: Double
  /// Whether `Vary` names a field.
  let hasVary: Bool

  /// How old it was when it came (RFC 9111 §4.2.3).
  private let initialAge: Double
  private let responseTime: Double

  /// The part of the time since the last modification that is taken for fresh, and the most of it
  /// (RFC 9111 §4.2.2).
  private static let heuristicPart = 0.1
  private static let heuristicMost = 86_400.0

  init(_ head: ResponseHead, requestTime: Date, responseTime: Date) {
    let headers = head.headers
    let arrival = responseTime.timeIntervalSince1970
    let control = CacheControl(headers)
    // Of a field that may stand once only the first line counts.
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
      // Two that differ are none, and what is no date has passed (RFC 9111 §5.3).
      let isOne = expires.allSatisfy { $0 == expires[0] }
      let end = isOne ? CacheDate.seconds(expires[0], now: responseTime) : nil
      lifetime = max(0, (end ?? date) - date)
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

  /// How fresh it is.
  ///
  /// An answer that comes from the future by more than a minute was stored by a clock that was wrong:
  /// nobody knows its age.
  func freshness(now: Date) -> Freshness {
    let resident = now.timeIntervalSince1970 - responseTime
    let age = resident < -60 ? .infinity : initialAge + max(0, resident)
    let most = Double(CacheControl.mostSeconds)
    return Freshness(kind: kind, lifetime: lifetime, age: min(age, most))
  }

  /// The first member of the first line; zero for what is no number (RFC 9111 §5.1).
  private static func age(_ headers: HTTPHeaders) -> Int {
    guard let line = headers.values(for: "Age").first else { return 0 }
    var reader = FieldReader(line)
    reader.skipBlanks()
    guard let seconds = reader.number(upTo: CacheControl.mostSeconds) else { return 0 }
    reader.skipBlanks()
    return reader.isAtEnd || reader.take(",") ? seconds : 0
  }

  /// Whether a status may be kept without a word about how long (RFC 9110 §15.1); 206 is not, here.
  static func isHeuristicallyCacheable(_ status: Int) -> Bool {
    switch status {
    case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
    default: false
    }
  }
}

extension StoredResponse {
  /// What the head says of its reuse.
  var rules: ResponseRules {
    knownRules ?? ResponseRules(head, requestTime: requestTime, responseTime: responseTime)
  }

  /// For how many whole seconds it stays fresh; nil where nobody said anything.
  func ttl(now: Date) -> Int? {
    let freshness = rules.freshness(now: now)
    return freshness.kind == .none ? nil : freshness.ttl
  }

  /// The same with its rules read, so that a hit need not.
  var readingRules: StoredResponse {
    var read = self
    read.knownRules = rules
    return read
  }
}
