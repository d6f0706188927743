/// A source's turn at a relay, for any downstream.
///
/// It is separate from the downstream, which consists of several references. A check of the turn
/// does not have to count them.
@frozen @usableFromInline struct RelayTurn: Sendable {
  @usableFromInline let driver: RelayDriver
  @usableFromInline let number: Int

  @inlinable init(driver: RelayDriver, number: Int) {
    self.driver = driver
    self.number = number
  }

  /// Records the source's subscription, and requests the unserved demand from it.
  @inlinable func admit(_ subscription: any Subscription) {
    guard let demand = driver.admit(subscription, of: number) else {
      reportSlip(.secondSubscription)
      subscription.cancel()
      return
    }
    if demand > .none { subscription.request(demand) }
  }

  /// Whether a value may pass.
  ///
  /// If not, the violation is reported, unless a cancel explains it.
  @inlinable var admitsValue: Bool {
    if driver.turns.isOpen(number) { return true }
    reportSlip(driver.turns.slip(ofValueIn: number))
    return false
  }

  /// Ends this turn.
  ///
  /// - Returns: Whether it was the source's turn. It is false for a second end and after a cancel.
  @inlinable func end() -> Bool {
    let wasInCharge = driver.end(number)
    if !wasInCharge { reportSlip(.secondEnd) }
    return wasInCharge
  }

  /// Ends this turn before the source's own end, and cancels the source.
  ///
  /// - Returns: Whether it was the source's turn, and the source's cancel did not cancel the
  ///   stream.
  @inlinable func abort() -> Bool { driver.abort(number) }

  /// Reports a dropped signal, unless a cancel explains it.
  @usableFromInline func reportSlip(_ rule: ContractViolation.Rule) {
    if !driver.isCancelled { ContractViolation.report(rule, by: Self.self) }
  }
}
