/// A publisher that can tell, before a subscription, whether it only sends an end, and at once.
///
/// A subscription to such a publisher does no work, so it need not wait for demand.
@usableFromInline protocol BarePublisher {
  var endsAtOnce: Bool { get }
}
