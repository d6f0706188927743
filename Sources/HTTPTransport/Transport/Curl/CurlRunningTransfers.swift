#if os(Linux)
  import HTTPWire

  /// The transfers that libcurl works on, by their calls.
  ///
  /// Only the leader uses it.
  struct CurlRunningTransfers {
    private var byCall: [ObjectIdentifier: CurlTransfer] = [:]
    private var timed = CurlTimedTransfers()
    /// The transfers whose response is delivered in pieces.
    private var streaming: [ObjectIdentifier: CurlTransfer] = [:]

    var isEmpty: Bool { byCall.isEmpty }

    var transfers: some Collection<CurlTransfer> { byCall.values }

    /// The earliest of a time and of the limits that libcurl does not watch, or an earlier time.
    func nextDeadline(beside other: ContinuousClock.Instant?) -> ContinuousClock.Instant? {
      guard let other else { return timed.nextDeadline }
      return timed.nextDeadline.map { min($0, other) } ?? other
    }

    /// The milliseconds until that time, within bounds.
    func sleepLength(beside other: ContinuousClock.Instant?) -> Int32 {
      guard let deadline = nextDeadline(beside: other) else { return Self.longestSleep }
      return min(Int32(CurlTransfer.milliseconds(deadline - .now)), Self.longestSleep)
    }

    private static let longestSleep: Int32 = 600_000

    subscript(call: EngineCall) -> CurlTransfer? { byCall[ObjectIdentifier(call)] }

    mutating func enter(_ transfer: CurlTransfer, of call: EngineCall) {
      byCall[ObjectIdentifier(call)] = transfer
      if transfer.response.feed != nil { streaming[ObjectIdentifier(call)] = transfer }
      noteLimit(of: transfer, call)
    }

    /// Notes a new time limit of a transfer.
    mutating func noteLimit(of transfer: CurlTransfer, _ call: EngineCall) {
      timed.enter(transfer, of: call)
    }

    mutating func remove(_ call: EngineCall) {
      byCall[ObjectIdentifier(call)] = nil
      timed.remove(call)
      if !streaming.isEmpty { streaming[ObjectIdentifier(call)] = nil }
    }

    /// Returns the transfers whose time limit has passed.
    mutating func expired(_ now: ContinuousClock.Instant) -> [CurlTransfer] { timed.expired(now) }

    /// Hands over what libcurl has brought of the responses in pieces.
    func tellChunks() {
      for transfer in streaming.values { transfer.response.tellChunk() }
    }

    /// Has one of the transfers of a connection write what waits there.
    ///
    /// Returns the one that did, with libcurl's code for it.
    func stir(_ transfers: [CurlTransfer]) -> (transfer: CurlTransfer, code: Int32)? {
      for transfer in transfers {
        if let code = transfer.stir() { return (transfer, code) }
      }
      return nil
    }

    /// The other transfers on an HTTP/2 connection that would keep the reset of this one.
    func neighbors(of transfer: CurlTransfer) -> [CurlTransfer] {
      guard let place = transfer.placeOfResets else { return [] }
      return byCall.values.filter { $0 !== transfer && $0.placeOfResets == place }
    }
  }
#endif
