import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RESTAPI {
  /// What sends the requests of one subscription.
  func follower(in context: SubscriptionContext) -> RedirectFollower {
    RedirectFollower(
      transport: transport, rules: RedirectRules(policy: redirects, secretHeaders: secretHeaders),
      call: context[LogicalCall.Key.self])
  }

  /// What a request is answered with, both made anew for each subscription.
  ///
  /// Without a `flatMap` over a publisher of the request: it would cost more than all else here.
  func exchange<Output: Sendable>(
    _ makeRequest: @escaping @Sendable () throws(RESTError) -> URLRequest,
    send:
      @escaping @Sendable (RedirectFollower, URLRequest) throws -> AnyPublisher<
        Output, any Error
      >
  ) -> AnyPublisher<Output, any Error> {
    DeferredInContext { context in
      let observed = ObservedCall(on: transport, in: context)
      let context = observed.context
      do {
        var request = try makeRequest()
        try prepare(&request, in: context)
        return observed.ending(try send(follower(in: context), request))
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
      { [baseURL] () throws(RESTError) in
        requestModifier(
          try URLRequest(method, baseURL: baseURL, endpoint: endpoint, query: query, body: body))
      }, send: send)
  }

  /// A response that is asked for again as the API's policy says.
  func resending(
    _ response: AnyPublisher<RESTResponse, any Error>
  ) -> AnyPublisher<RESTResponse, any Error> {
    retry.map { response.retry($0) } ?? response
  }

  /// What somebody downstream adds to a request, and tells of it.
  private func prepare(
    _ request: inout URLRequest, in context: SubscriptionContext
  ) throws(RESTError) {
    try context[RequestAuthorizerKey.self]?.authorize(&request, ofAPIAt: baseURL)
    context[Revalidation.Key.self]?.prepare(&request)
    if let call = context[LogicalCall.Key.self] {
      call.settleIdempotencyKey(of: &request)
      call.record(.built(RequestSummary(request)))
    }
  }
}

extension URLRequest {
  /// - Throws: `RESTError` about the base URL, the endpoint or the query.
  init(
    _ method: HTTPMethod, baseURL: String, endpoint: String, query: [URLQueryItem], body: Data?
  ) throws(RESTError) {
    do throws(URLJoinError) {
      self.init(url: try BaseURL(baseURL).url(endpoint: endpoint, query: query))
    } catch {
      throw RESTError(error, method: method)
    }
    // To set what is there already costs as much as to make the request.
    if method != .get { httpMethod = method.rawValue }
    if let body { httpBody = body }
  }
}
