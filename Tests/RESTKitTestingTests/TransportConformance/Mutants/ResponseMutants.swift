import Foundation
import RESTKit
import RESTKitTesting
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportMutant {
  /// The responses that they give.
  static let ofResponses: [TransportMutant] = [
    .head("takes a status of 400 or more for a failure", .statuses, .challenges) { head in
      guard head.statusCode < 400 else { throw BreakError() }
      return head
    },
    TransportMutant("gives an error's status without its body", [.statuses, .challenges]) { inner in
      var spoiled = SpoiledTransport(inner)
      spoiled.whole = { request in
        inner.response(for: request)
          .map { $0.statusCode < 400 ? $0 : $0.replacing(data: Data()) }.eraseToAnyPublisher()
      }
      return spoiled
    },
    .head("takes a rare status for the first of its class", .statuses) { head in
      [299, 418, 599].contains(head.statusCode)
        ? head.replacing(status: head.statusCode / 100 * 100) : head
    },
    .head("names the URL without its path", .statuses) { head in
      head.replacing(url: URL(string: "/", relativeTo: head.url)?.absoluteURL)
    },
    .events("in pieces, takes a status outside of 200...299 for a failure", .statuses) { events in
      events.mapHead { head in
        guard 200...299 ~= head.statusCode else { throw BreakError() }
        return head
      }
    },

    .head("joins the lines of one name", .headerLines) { head in
      var headers = HTTPHeaders()
      for (name, _) in head.headers { headers[name] = head.headers[name] }
      return head.replacing(headers: headers)
    },
    .head("keeps the last line of each name", .headerLines) { head in
      var headers = HTTPHeaders()
      for (name, value) in head.headers { headers[name] = value }
      return head.replacing(headers: headers)
    },
    .head("leaves out lines without a value", .headerLines) { head in
      head.replacing(headers: HTTPHeaders(head.headers.filter { !$0.value.isEmpty }))
    },
    .head("gives the last line first", .headerLines) { head in
      head.replacing(headers: HTTPHeaders(Array(head.headers.reversed())))
    },

    .request("sends GET for HEAD", .bodiless) { request in
      request.httpMethod == "HEAD" ? request.setting(method: "GET") : request
    },
    .whole("waits for the body of a 204", .bodiless, hangs: true) { inner, request in
      inner.response(for: request).flatMap { response -> WholeExchange in
        response.statusCode == 204
          ? Empty(completeImmediately: false).eraseToAnyPublisher()
          : Just(response).setFailureType(to: (any Error).self).eraseToAnyPublisher()
      }.eraseToAnyPublisher()
    },
    .head("takes a 304 for a 200", .bodiless) { head in
      head.statusCode == 304 ? head.replacing(status: 200) : head
    },
    .whole("takes a response without a body for one that was cut", .bodiless) { inner, request in
      inner.response(for: request).tryMap { response in
        guard !response.data.isEmpty else {
          throw TransportError(kind: .bodyCut, mayHaveBeenProcessed: true)
        }
        return response
      }.eraseToAnyPublisher()
    },

    .request("leaves the decoding to the caller", .codings) { request in
      request.setting("gzip, deflate", for: "Accept-Encoding")
    },
    .pieces("in pieces, leaves the decoding to the caller", .codings) { inner, request, body in
      inner.events(for: request.setting("gzip, deflate", for: "Accept-Encoding"), body: body)
    },
    .answer("gives encoded bytes where it cannot decode them", .codings) {
      inner, fault, _, request in
      fault.kind == .undecodableBody
        ? inner.response(for: request.setting("*", for: "Accept-Encoding")) : nil
    },
    .answer("gives no body where it cannot decode one", .codings) { _, fault, _, request in
      fault.kind == .undecodableBody ? request.answered(fault.statusCode ?? 200) : nil
    },

    TransportMutant("follows redirects", [.redirects]) { inner in
      var spoiled = SpoiledTransport(inner)
      spoiled.whole = { request in
        inner.response(for: request).flatMap { response -> WholeExchange in
          request.next(after: response.headers).map { inner.response(for: $0) }
            ?? Just(response).setFailureType(to: (any Error).self).eraseToAnyPublisher()
        }.eraseToAnyPublisher()
      }
      return spoiled
    },
    .pieces("in pieces, follows redirects", .redirects) { inner, request, body in
      inner.events(for: request, body: body).flatMap { event -> PiecesExchange in
        if case .head(let head) = event, let next = request.next(after: head.headers) {
          return inner.events(for: next)
        }
        return Just(event).setFailureType(to: (any Error).self).eraseToAnyPublisher()
      }.eraseToAnyPublisher()
    },
    .head("takes a redirect for a failure", .redirects) { head in
      guard !(300...399 ~= head.statusCode) else { throw BreakError() }
      return head
    },
    .head("keeps the Location of a redirect to itself", .redirects) { head in
      head.replacing(headers: HTTPHeaders(head.headers.filter { $0.name != "Location" }))
    },

    .whole("answers a challenge with what it knows of the user", .challenges) { inner, request in
      inner.response(for: request).flatMap { response -> WholeExchange in
        response.statusCode == 401
          ? inner.response(for: request.setting("Basic dTpw", for: "Authorization"))
          : Just(response).setFailureType(to: (any Error).self).eraseToAnyPublisher()
      }.eraseToAnyPublisher()
    },
    .head("takes the challenge of a proxy for a server's", .challenges) { head in
      head.statusCode == 407 ? head.replacing(status: 401) : head
    },
  ]
}

extension URLRequest {
  /// The request to the place of a redirect.
  fileprivate func next(after headers: HTTPHeaders) -> URLRequest? {
    guard let place = headers["Location"], let url = URL(string: place, relativeTo: url) else {
      return nil
    }
    var next = self
    next.url = url.absoluteURL
    return next
  }
}
