import Foundation
import Streams

extension AuthorizationServer {
  /// Requests a server's metadata (RFC 8414 §3), once for each subscription.
  ///
  /// If the URL of RFC 8414 has no metadata, the URL of OpenID Connect Discovery 1.0 §4 is requested. The
  /// metadata must name the issuer exactly as it is given here (RFC 8414 §3.3). Metadata of another issuer
  /// is refused.
  ///
  /// - Demand: The requests are sent with the subscription. The one value waits for demand.
  /// - Errors: ``SignInError`` for an invalid issuer, and for metadata that violates the standard.
  ///   ``RESTError`` if there is no metadata.
  /// - Cancellation: Ends the exchange.
  /// - Delivery: Where the transport delivers.
  ///
  /// - Parameters:
  ///   - issuer: The server's issuer identifier, an https URL without a query. For this machine, http is
  ///     allowed.
  ///   - transport: The transport that sends the requests.
  public static func discover(
    issuer: String, transport: any Transport = .shared
  ) -> AnyPublisher<AuthorizationServer, any Error> {
    Deferred {
      Result<ServerURL, any Error> { try ServerURL.issuer(issuer) }.publisher
        .flatMap { place in
          let api = MetadataAPI(of: place.base, transport: transport)
          return api.get(
            endpoint: "/.well-known/oauth-authorization-server\(place.base.path)"
          ) { $0.acceptingJSON() }
          .tryMap { try read($0, issuer: issuer) }
          .tryCatch { error in
            guard isAbsence(error) else { throw error }
            return api.get(endpoint: "\(place.base.path)/.well-known/openid-configuration") {
              $0.acceptingJSON()
            }
            .tryMap { try read($0, issuer: issuer) }
          }
        }
    }
    .eraseToAnyPublisher()
  }

  private static func read(_ response: RESTResponse, issuer: String) throws -> AuthorizationServer {
    try response.requireStatus(200...200)
    let server: AuthorizationServer
    do {
      server = try response.decoded()
    } catch {
      // The fault of a URL says more than a decoding error does.
      throw (error.underlyingError as? SignInError) ?? error
    }
    guard server.issuer == issuer else { throw SignInError.issuerMismatch }
    return server
  }

  /// Returns whether an error means that a URL has no metadata: some servers return a page instead.
  private static func isAbsence(_ error: any Error) -> Bool {
    switch (error as? RESTError)?.kind {
    case .status(let code): 400...499 ~= code
    case .malformedResponse: true
    default: false
    }
  }
}

private struct MetadataAPI: RESTAPI {
  let baseURL: String
  let transport: any Transport
  let redirects = RedirectPolicy.sameOrigin

  init(of place: BaseURL, transport: any Transport) {
    baseURL = "\(place.scheme)://\(place.authority)"
    self.transport = transport
  }
}
