import Streams

/// A call that waits for a credential.
struct SessionWaiter: Sendable {
  typealias Outcome = Result<IssuedCredential, TokenSessionError>

  /// The number of its place in the line.
  let id: Int
  /// What was refused; nil for a call whose request has not been sent.
  let refused: IssuedCredential?
  /// Lets the call go on or fail.
  let resume: @Sendable (Outcome) -> Void
}

/// The calls that wait, first come, first served.
struct WaitingLine: Sendable {
  private struct Place: Sendable {
    let id: Int
    /// Nil where somebody left.
    var waiter: SessionWaiter?
  }

  // By their numbers, which nearly always come in order: it may hold thousands.
  private var places: [Place] = []
  private(set) var count = 0

  /// Whether somebody waits for another credential than this one.
  func holdsRefusal(of credential: IssuedCredential) -> Bool {
    places.contains { $0.waiter?.refused === credential }
  }

  mutating func append(_ waiter: SessionWaiter) {
    places.insert(Place(id: waiter.id, waiter: waiter), at: index(of: waiter.id))
    count += 1
  }

  /// - Returns: The waiter, so that it is released where no lock is held.
  mutating func remove(_ id: Int) -> SessionWaiter? {
    let index = index(of: id)
    guard index < places.count, places[index].id == id, let waiter = places[index].waiter.take()
    else { return nil }
    count -= 1
    if count == 0 { places = [] }
    return waiter
  }

  mutating func takeAll() -> [SessionWaiter] {
    defer {
      places = []
      count = 0
    }
    return places.compactMap(\.waiter)
  }

  /// Where a number stands, or would stand.
  private func index(of id: Int) -> Int {
    guard let last = places.last, last.id >= id else { return places.count }
    var range = places.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range = places[middle].id < id ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }
}
