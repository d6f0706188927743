#if os(Linux)
  /// Whether a call still wants its response, for work of the leader that libcurl does not time.
  struct CallPatience: Sendable {
    let call: EngineCall
    /// The end of the call's time; nil for no limit.
    let deadline: ContinuousClock.Instant?

    /// - Throws: `.timedOut` where the call's time is over; the same where it was cancelled, which
    ///   nobody is told.
    func check() throws(TransportError) {
      guard call.isPending, deadline.map({ .now < $0 }) ?? true else {
        throw .afterSending(.timedOut, "its time was over while it was read")
      }
    }
  }
#endif
