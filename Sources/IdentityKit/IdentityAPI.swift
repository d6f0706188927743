import RESTKit
import Streams

/// The requests of an identity API, except those for its tokens.
struct IdentityAPI: RESTAPI {
  let baseURL: String
  let transport: any Transport

  /// Requests the profile of the signed-in user.
  var me: AnyPublisher<RESTResponse, any Error> {
    self.get(endpoint: "me") { $0.acceptingJSON().sendingJSON() }
  }
}
