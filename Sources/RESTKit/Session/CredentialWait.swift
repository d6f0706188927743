import Streams

/// The wait of a call for a credential.
typealias CredentialWait = CallWait<IssuedCredential>

extension CredentialWait {
  /// - Parameters:
  ///   - refused: The credential that the API refused, or nil for a call whose request has not been
  ///     sent.
  ///   - wantsUser: Whether the wait ends as soon as the user is known, with any credential.
  convenience init(
    for call: LogicalCall, after refused: IssuedCredential? = nil, in session: TokenSession,
    wantsUser: Bool = false
  ) {
    let place = session.machine.withLock { $0.takePlace() }
    self.init { wait in
      let waiter = SessionWaiter(id: place, refused: refused, wantsUser: wantsUser) { outcome in
        if case .success(let credential) = outcome, let number = credential.refreshNumber {
          call.journal.record(.refreshed(number))
        }
        if case .failure = outcome { call.noteRefreshPause(session.refreshPause) }
        wait.end(with: outcome.mapError { $0 })
      }
      let now = session.now
      let (effects, flight) = session.machine.withLock { machine in
        let effects =
          refused == nil ? machine.begin(waiter, at: now) : machine.renew(waiter, at: now)
        return (effects, machine.flight?.number)
      }
      if let flight { call.journal.record(.joinedRefresh(flight)) }
      session.perform(effects, for: call)
    } leave: { _ in
      let released = session.machine.withLock { $0.leave(place) }
      withExtendedLifetime(released) {}
    }
  }
}

/// A call that waits for a credential.
struct SessionWaiter: Sendable {
  typealias Outcome = Result<IssuedCredential, TokenSessionError>

  /// The number of its place in line.
  let id: Int
  /// The refused credential, or nil for a call whose request has not been sent.
  let refused: IssuedCredential?
  /// Whether the call waits for its user alone, whatever the credential.
  var wantsUser = false
  /// Lets the call continue or fail.
  let resume: @Sendable (Outcome) -> Void
}

/// The waiting calls, in the order of their places.
struct WaitingLine: Sendable {
  private struct Place: Sendable {
    let id: Int
    /// The waiter, or nil if it has left.
    var waiter: SessionWaiter?
  }

  // Sorted by number. New places nearly always come in order, and the line may hold thousands.
  private var places: [Place] = []
  private(set) var count = 0

  /// Whether a call waits for a replacement of this credential.
  func holdsRefusal(of credential: IssuedCredential) -> Bool {
    places.contains { $0.waiter?.refused === credential }
  }

  mutating func append(_ waiter: SessionWaiter) {
    places.insert(Place(id: waiter.id, waiter: waiter), at: index(of: waiter.id))
    count += 1
  }

  /// - Returns: The waiter, so that the caller can release it while no lock is held.
  mutating func remove(_ id: Int) -> SessionWaiter? {
    let index = index(of: id)
    guard index < places.count, places[index].id == id, let waiter = places[index].waiter.take()
    else { return nil }
    count -= 1
    if count == 0 { places = [] }
    return waiter
  }

  /// Removes the calls that wait for their user alone.
  mutating func takeThoseWithoutUser() -> [SessionWaiter] {
    var taken: [SessionWaiter] = []
    for index in places.indices where places[index].waiter?.wantsUser == true {
      if let waiter = places[index].waiter.take() { taken.append(waiter) }
    }
    count -= taken.count
    if count == 0 { places = [] }
    return taken
  }

  mutating func takeAll() -> [SessionWaiter] {
    defer {
      places = []
      count = 0
    }
    return places.compactMap(\.waiter)
  }

  /// The index of a number, or the index where it would be inserted.
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
