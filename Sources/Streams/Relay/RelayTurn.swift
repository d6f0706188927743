/// A source's turn at a relay, whoever the downstream is.
///
/// It is apart from the downstream, which is made of several references: who asks whether it is his turn
/// should not have to count them.
@frozen @usableFromInline struct RelayTurn: Sendable {
  @usableFromInline let driver: RelayDriver
  @usableFromInline let number: Int

  @inlinable init(driver: RelayDriver, number: Int) {
    self.driver = driver
    self.number = number
  }

  /// Takes in the source's subscription and asks it for what is still unserved.
  @inlinable func admit(_ subscription: any Subscription) {
    guard let demand = driver.admit(subscription, of: number) else {
      reportSlip(.secondSubscription)
      subscription.cancel()
      return
    }
    if demand > .none { subscription.request(demand) }
  }

  /// Whether a value may pass; if not, says that it was dropped, unless a cancel explains it.
  @inlinable var admitsValue: Bool {
    if driver.turns.isOpen(number) { return true }
    reportSlip(driver.turns.slip(ofValueIn: number))
    return false
  }

  /// Ends this turn.
  ///
  /// - Returns: Whether the source was in charge: false for the second end of a source that
  ///   misbehaves, and after a cancel.
  @inlinable func end() -> Bool {
    let wasInCharge = driver.end(number)
    if !wasInCharge { reportSlip(.secondEnd) }
    return wasInCharge
  }

  /// Ends this turn before the source's own end, and cancels the source.
  ///
  /// - Returns: Whether the source was in charge, and its own cancel did not cancel the stream.
  @inlinable func abort() -> Bool { driver.abort(number) }

  /// Says that a signal was dropped, unless a cancel explains it.
  @usableFromInline func reportSlip(_ rule: ContractViolation.Rule) {
    if !driver.isCancelled { ContractViolation.report(rule, by: Self.self) }
  }
}
