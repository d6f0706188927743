/// A subject's hold on one subscriber.
///
/// Apart from the link, which the subscription holds, too: who keeps a subscription after its end
/// does not keep the subscriber.
@usableFromInline final class SubjectEntry<Output: Sendable, Failure: Error>: Sendable {
  @usableFromInline let mark = LiveMark(.subjectEntry)
  @usableFromInline let link: SubjectLink
  @usableFromInline let subscriber: AnySubscriber<Output, Failure>

  @inlinable init(_ link: SubjectLink, _ subscriber: AnySubscriber<Output, Failure>) {
    self.link = link
    self.subscriber = subscriber
  }

  @inlinable func finish(_ end: Subscribers.Completion<Failure>) {
    if link.deactivate() { subscriber.receive(completion: end) }
  }
}
