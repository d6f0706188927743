import Foundation
import Streams

extension AuthorizationServer {
  /// Asks a server what it offers (RFC 8414 §3), anew for each subscription.
  ///
  /// Where the place of RFC 8414 has no metadata, that of OpenID Connect Discovery 1.0 §4 is asked. The
  /// answer has to name the issuer exactly as it is given here (RFC 8414 §3.3): what another server says
  /// is refused.
  ///
  /// - Demand: The requests are sent with the subscription; the one value waits for demand.
  /// - Errors: ``SignInError`` for an issuer that cannot be used, and for metadata that is not what the
  ///   standard demands; ``RESTError`` where there is no metadata.
  /// - Cancellation: Ends the exchange.
  /// - Delivery: Where the transport delivers.
  ///
  /// - Parameters:
  ///   - issuer: The name of the server, an https URL without a query; http is for this machine only.
  ///   - transport: What carries the requests.
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
      // What is wrong with a URL says more than that something could not be decoded.
      throw (error.underlyingError as? SignInError) ?? error
    }
    guard server.issuer == issuer else { throw SignInError.issuerMismatch }
    return server
  }

  /// Whether a server has no metadata at a place: some answer there with a page instead.
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
