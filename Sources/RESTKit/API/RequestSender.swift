import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Makes the requests of an API's verbs, and sends them.
///
/// It is not generic over the API, as an extension of that would be: nothing in there could be
/// specialized, since each app brings types of its own, and to look up types while it runs takes longer
/// than to make the request.
struct RequestSender: Sendable {
  private let api: any RESTAPI

  init(for api: any RESTAPI) {
    self.api = api
  }

  /// What a request is answered with, both made anew for each subscription.
  ///
  /// Without a `flatMap` over a publisher of the request: it would cost more than all else here.
  ///
  /// - Parameters:
  ///   - makeRequest: Makes the request, and a body that is not to be in memory, if there is one.
  ///   - send: Sends both.
  func exchange<Output: Sendable>(
    _ makeRequest: @escaping @Sendable () throws(RESTError) -> (URLRequest, RequestBody?),
    send:
      @escaping @Sendable (RedirectFollower, URLRequest, RequestBody?) throws -> AnyPublisher<
        Output, any Error
      >
  ) -> AnyPublisher<Output, any Error> {
    DeferredInContext { context in
      let transport = api.transport
      let observed = ObservedCall(on: transport, in: context)
      do {
        var (request, body) = try makeRequest()
        try context.prepare(&request, ofAPIAt: api.baseURL, for: observed.call)
        let follower = RedirectFollower(
          transport: transport,
          rules: RedirectRules(
            policy: api.redirects, secretHeaders: api.secretHeaders,
            bound: context[RedirectBound.Key.self]),
          call: observed.call)
        return observed.ending(try send(follower, request, body))
      } catch {
        return observed.ending(Fail(error: observed.noting(error)).eraseToAnyPublisher())
      }
    }
    .eraseToAnyPublisher()
  }

  /// The same, of a request that a verb describes.
  func exchange<Output: Sendable>(
    _ method: HTTPMethod, endpoint: String, query: [URLQueryItem], body: Data? = nil,
    requestModifier: @escaping RequestModifier,
    _ send:
      @escaping @Sendable (RedirectFollower, URLRequest) throws -> AnyPublisher<
        Output, any Error
      >
  ) -> AnyPublisher<Output, any Error> {
    exchange(
      { [baseURL = api.baseURL] () throws(RESTError) in
        let request = try URLRequest(
          method, baseURL: baseURL, endpoint: endpoint, query: query, body: body)
        return (requestModifier(request), nil)
      }, send: { follower, request, _ in try send(follower, request) })
  }

  /// The response to a request whose body is made anew for each attempt.
  func response(
    _ method: HTTPMethod, endpoint: String, query: [URLQueryItem], body: EndpointBody,
    requestModifier: @escaping RequestModifier
  ) -> AnyPublisher<RESTResponse, any Error> {
    resending(
      exchange(
        { [baseURL = api.baseURL] () throws(RESTError) in
          var request = try URLRequest(
            method, baseURL: baseURL, endpoint: endpoint, query: query, body: nil)
          let rest = try body.put(on: &request)
          return (requestModifier(request), rest)
        }, send: { $0.response(for: $1, body: $2) }))
  }

  /// A response that is asked for again as the API's policy says.
  func resending(
    _ response: AnyPublisher<RESTResponse, any Error>
  ) -> AnyPublisher<RESTResponse, any Error> {
    api.retry.map { response.retry($0) } ?? response
  }
}
