#if os(Linux)
  import HTTPWire

  /// The running transfers with a time limit that libcurl does not watch.
  struct CurlTimedTransfers {
    private var transfers: [ObjectIdentifier: CurlTransfer] = [:]

    /// A lower bound of their limits, or nil if there are none.
    private(set) var nextDeadline: ContinuousClock.Instant?

    /// Adds a transfer, if it has a limit, or notes its new limit.
    mutating func enter(_ transfer: CurlTransfer, of call: EngineCall) {
      guard let limit = transfer.earliestLimit(.now) else { return }
      transfers[ObjectIdentifier(call)] = transfer
      nextDeadline = nextDeadline.map { min($0, limit) } ?? limit
    }

    mutating func remove(_ call: EngineCall) {
      if !transfers.isEmpty { transfers[ObjectIdentifier(call)] = nil }
    }

    /// Returns the transfers whose limit has passed.
    mutating func expired(_ now: ContinuousClock.Instant) -> [CurlTransfer] {
      guard let due = nextDeadline, due <= now else { return [] }
      var expired: [CurlTransfer] = []
      nextDeadline = nil
      for transfer in transfers.values {
        if let limit = transfer.limit, limit <= now {
          expired.append(transfer)
        } else if let limit = transfer.earliestLimit(now) {
          nextDeadline = nextDeadline.map { min($0, limit) } ?? limit
        }
      }
      return expired
    }
  }

  extension CurlTransfer {
    /// The time at which the loop ends the call, or nil if there is none at present.
    var limit: ContinuousClock.Instant? { earliest(idleDeadline) }

    /// A lower bound of the time at which the loop will end the call.
    ///
    /// While the client pauses the call, the server's silence begins now at the earliest.
    func earliestLimit(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
      earliest(idleDeadline ?? idleLimit.map { now + $0 })
    }

    private func earliest(_ silenceEnd: ContinuousClock.Instant?) -> ContinuousClock.Instant? {
      Self.earlier(Self.earlier(deadline, lingerEnd), silenceEnd)
    }

    /// Each call asks twice, and an array of its limits would take longer than all else here.
    private static func earlier(
      _ one: ContinuousClock.Instant?, _ other: ContinuousClock.Instant?
    ) -> ContinuousClock.Instant? {
      guard let one, let other else { return one ?? other }
      return min(one, other)
    }
  }
#endif
