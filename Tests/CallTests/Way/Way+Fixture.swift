import Streams

@testable import RESTKit

extension Way {
  /// The way of a request over a transport, with nothing else asked for.
  convenience init(over transport: any Transport, coalescer: RequestCoalescer? = nil) {
    self.init(
      baseURL: "https://api.example.com", transport: transport, redirects: .follow,
      secretHeaders: [], decoder: nil, compression: nil, session: nil, cache: nil,
      coalescer: coalescer, limiter: nil, in: SubscriptionContext())
  }
}
