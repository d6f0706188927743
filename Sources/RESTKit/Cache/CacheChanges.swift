/// The record of changes to stored responses during exchanges, so that no exchange restores an
/// outdated response.
///
/// A response that was requested before its target's invalidation may be outdated. So may a
/// response that was requested before another one.
struct CacheChanges: Sendable {
  /// The position of a stored response: one that is stored there replaces it.
  private struct Place: Hashable, Sendable {
    let key: CacheKey
    let varying: [String: ExactText?]
  }

  /// A counter of exchanges and removals.
  private var moment = 0
  /// The moment of the last removal for each target.
  private var forgotten: [String: Int] = [:]
  /// The moment at which the exchange of a stored response began.
  private var kept: [Place: Int] = [:]
  /// A response is not stored if its exchange began before this moment.
  private var floor = 0
  /// The principals whose end removes their responses, by their unique names.
  private var watched: Set<String> = []
  /// The stored responses that are validated in the background.
  private var refreshed: Set<Place> = []

  /// The maximum number of recorded targets and responses.
  ///
  /// Beyond it, responses of running exchanges are not stored.
  private static let most = 4_096

  /// Returns the moment at which an exchange begins.
  mutating func begin() -> Int {
    moment += 1
    return moment
  }

  mutating func forget(_ targets: [String]) {
    moment += 1
    for url in targets { forgotten[url] = moment }
    if forgotten.count > Self.most { forgetExchanges() }
  }

  mutating func forgetAll() {
    moment += 1
    forgetExchanges()
  }

  /// Records that a response is stored, unless its exchange began too early.
  ///
  /// - Returns: The reason why it may not be stored; nil if it may.
  mutating func keep(_ response: StoredResponse, for key: CacheKey, since start: Int) -> String? {
    guard start >= floor, start >= forgotten[key.url] ?? 0 else {
      return "invalidated while it was under way"
    }
    let place = Place(key: key, varying: response.varying)
    guard start >= kept[place] ?? 0 else { return "a later response is stored" }
    kept[place] = start
    if kept.count > Self.most { forgetExchanges() }
    return nil
  }

  /// Whether the caller has to begin to watch for the end of a principal.
  mutating func beginWatching(_ principal: String) -> Bool {
    watched.insert(principal).inserted
  }

  mutating func endWatching(_ principal: String) {
    watched.remove(principal)
  }

  /// Whether the caller has to validate a stored response in the background, because nobody does.
  mutating func beginRefresh(of response: StoredResponse, for key: CacheKey) -> Bool {
    refreshed.insert(Place(key: key, varying: response.varying)).inserted
  }

  mutating func endRefresh(of response: StoredResponse, for key: CacheKey) {
    refreshed.remove(Place(key: key, varying: response.varying))
  }

  private mutating func forgetExchanges() {
    floor = moment
    forgotten = [:]
    kept = [:]
    refreshed = []
  }
}
