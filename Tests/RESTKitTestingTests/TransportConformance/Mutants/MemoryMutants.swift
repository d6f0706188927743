import Foundation
import RESTKit
import RESTKitTesting
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportMutant {
  /// What they keep and should not.
  static let ofMemory: [TransportMutant] = [
    TransportMutant("keeps the cookies of whole responses", [.cookies]) { inner in
      var spoiled = SpoiledTransport(inner)
      let jar = Jar()
      spoiled.whole = { request in
        inner.response(for: jar.adding(to: request))
          .handleEvents(receiveOutput: { jar.take($0.headers) }).eraseToAnyPublisher()
      }
      return spoiled
    },
    TransportMutant("keeps the cookies of responses in pieces", [.cookies]) { inner in
      var spoiled = SpoiledTransport(inner)
      let jar = Jar()
      spoiled.pieces = { request, body in
        inner.events(for: jar.adding(to: request), body: body).mapHead { head in
          jar.take(head.headers)
          return head
        }
      }
      return spoiled
    },
    leavingCookies(),

    TransportMutant("gives a fresh response again", [.cache]) { inner in
      var spoiled = SpoiledTransport(inner)
      let known = Lock<[String: RESTResponse]>([:])
      spoiled.whole = { request in
        let key = request.url?.absoluteString ?? ""
        if let response = known.withLock({ $0[key] }) {
          return Just(response).setFailureType(to: (any Error).self).eraseToAnyPublisher()
        }
        return inner.response(for: request)
          .handleEvents(receiveOutput: { response in known.withLock { $0[key] = response } })
          .eraseToAnyPublisher()
      }
      return spoiled
    },
    TransportMutant("asks for what it knows with its validator", [.cache]) { inner in
      var spoiled = SpoiledTransport(inner)
      let tag = Lock<String?>(nil)
      spoiled.whole = { request in
        inner.response(for: request.setting(tag.withLock { $0 }, for: "If-None-Match"))
          .handleEvents(receiveOutput: { response in
            tag.withLock { $0 = response.headers["ETag"] }
          }).eraseToAnyPublisher()
      }
      return spoiled
    },
    TransportMutant("in pieces, gives a whole response that it has", [.cache]) { inner in
      var spoiled = SpoiledTransport(inner)
      let known = Lock<RESTResponse?>(nil)
      spoiled.whole = { request in
        inner.response(for: request)
          .handleEvents(receiveOutput: { response in known.withLock { $0 = response } })
          .eraseToAnyPublisher()
      }
      spoiled.pieces = { request, body in
        known.withLock { $0 }.map {
          Just($0).setFailureType(to: (any Error).self).inPieces()
        } ?? inner.events(for: request, body: body)
      }
      return spoiled
    },
    leavingResponses(),
  ]

  /// Its jar is the next transport's.
  private static func leavingCookies() -> TransportMutant {
    let left = Lock<String?>(nil)
    return TransportMutant("leaves its cookies to the next transport", [.cookies]) { inner in
      let cookie = left.withLock { $0 }
      var spoiled = SpoiledTransport(inner)
      spoiled.whole = { request in
        inner.response(for: cookie.map { request.setting($0, for: "Cookie") } ?? request)
          .handleEvents(receiveOutput: { response in
            left.withLock { $0 = response.headers["Set-Cookie"] }
          }).eraseToAnyPublisher()
      }
      return spoiled
    }
  }

  /// Its cache is the next transport's.
  private static func leavingResponses() -> TransportMutant {
    let left = Lock<[String: RESTResponse]>([:])
    return TransportMutant("leaves its responses to the next transport", [.cache]) { inner in
      let known = left.withLock { $0 }
      var spoiled = SpoiledTransport(inner)
      spoiled.whole = { request in
        let key = request.url?.absoluteString ?? ""
        if let response = known[key] {
          return Just(response).setFailureType(to: (any Error).self).eraseToAnyPublisher()
        }
        return inner.response(for: request)
          .handleEvents(receiveOutput: { response in left.withLock { $0[key] = response } })
          .eraseToAnyPublisher()
      }
      return spoiled
    }
  }
}

/// The last cookie of a server.
private final class Jar: Sendable {
  private let cookie = Lock<String?>(nil)

  func take(_ headers: HTTPHeaders) { cookie.withLock { $0 = headers["Set-Cookie"] } }

  func adding(to request: URLRequest) -> URLRequest {
    cookie.withLock { $0 }.map { request.setting($0, for: "Cookie") } ?? request
  }
}
