#if os(Linux)
  /// A check of whether a call still wants its response, for work of the leader that libcurl does not time.
  struct CallPatience: Sendable {
    let call: EngineCall
    /// The time limit of the call, or nil for no limit.
    let deadline: ContinuousClock.Instant?

    /// - Throws: `.timedOut` if the call's time limit has passed. The fault is the same for a cancelled
    ///   call, which never receives it.
    func check() throws(TransportError) {
      guard call.isPending, deadline.map({ .now < $0 }) ?? true else {
        throw .afterSending(.timedOut, "while the response was read")
      }
    }
  }
#endif
