#if os(Linux)
  import Fixtures

  @testable import HTTPTransport
  @testable import RESTKit

  /// Tells what waits in a queue, as the leader of an engine does.
  final class TellingDesk {
    let deliveryQueue = CurlDeliveryQueue()
    private(set) var feed: CurlFeed?
    private let resumes = Counter()

    /// How often the buffer of the call has asked for more after a pause.
    var resumed: Int { resumes.value }

    /// The feed of a call that the desk tells from now on.
    func takeFeed(of call: EngineCall, _ events: EventBuffer?) -> CurlFeed? {
      feed = events.map { events in
        CurlFeed(call, events, deliveryQueue: deliveryQueue) { [resumes] in resumes.add() }
      }
      return feed
    }

    func tellAll() {
      while let delivery = deliveryQueue.next() {
        let pieces = delivery.callInPieces
        if delivery.run(), let (events, call) = pieces { deliveryQueue.tell(events, of: call) }
      }
    }
  }
#endif
