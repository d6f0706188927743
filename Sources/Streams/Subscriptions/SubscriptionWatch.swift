/// Sees what comes from below; lets go of the closure that looks on with the end and with the first
/// cancel.
@usableFromInline final class SubscriptionWatch: Sendable {
  // A struct and not the closure itself: a generic lock would wrap that anew at each access.
  @usableFromInline struct Observer: Sendable {
    let notice: @Sendable (SubscriptionCommand) -> Void
  }

  @usableFromInline let mark = LiveMark(.subscriptionWatch)
  @usableFromInline let gate = UpstreamGate()
  @usableFromInline let observer: Lock<Observer?>

  @usableFromInline init(_ observer: @escaping @Sendable (SubscriptionCommand) -> Void) {
    self.observer = Lock(Observer(notice: observer))
  }

  @usableFromInline func finish(for owner: Any.Type) -> Bool {
    guard gate.finish(for: owner) else { return false }
    _ = takeObserver()
    return true
  }

  @usableFromInline func perform(_ command: SubscriptionCommand) {
    switch command {
    case .request(let demand):
      guard let upstream = gate.current else { return }
      observer.withLock { $0 }?.notice(command)
      upstream.request(demand)
    case .cancel:
      // Of threads that cancel, or bring the end, at the same time only the one that closes the
      // gate touches the observer: else each could leave it to another to tell.
      let upstream = gate.current
      guard gate.close(as: .cancelled) == .open else { return }
      takeObserver()?.notice(command)
      upstream?.cancel()
    }
  }

  private func takeObserver() -> Observer? {
    observer.withLock { $0.take() }
  }
}
