/// What happened in one call, in order.
public struct CallLog: Sendable {
  public let events: [CallEvent]
}
