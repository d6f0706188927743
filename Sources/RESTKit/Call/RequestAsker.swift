/// Who asks, the same over all tokens: what is kept of answers is kept for one asker.
struct RequestAsker: Hashable, Sendable {
  private let identity: any Hashable & Sendable

  init(_ identity: some Hashable & Sendable) {
    self.identity = identity
  }

  static func == (lhs: RequestAsker, rhs: RequestAsker) -> Bool {
    AnyHashable(lhs.identity) == AnyHashable(rhs.identity)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(AnyHashable(identity))
  }
}
