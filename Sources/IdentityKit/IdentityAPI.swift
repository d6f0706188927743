import RESTKit
import Streams

/// The requests of an identity API, but for those of its tokens.
struct IdentityAPI: RESTAPI {
  let baseURL: String
  let transport: any Transport

  /// Asks who is signed in.
  var me: AnyPublisher<RESTResponse, any Error> {
    self.get(endpoint: "me") { $0.acceptingJSON().sendingJSON() }
  }
}
