extension UpstreamGate {
  /// Whether a value may pass; if not, says that it was dropped, unless a cancel explains it.
  @inlinable package func admitsValue(for owner: Any.Type) -> Bool {
    if isOpen { return true }
    reportStrayValue(for: owner)
    return false
  }
}
