import Fixtures
import Foundation

@testable import HTTPWire
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension CanarySamples {
  mutating func addEndpoints(_ request: URLRequest, _ response: RESTResponse) {
    let cache = HTTPCache()
    let stored = StoredResponse(
      head: response.head, data: Self.body, requestTime: .distantPast, responseTime: .distantFuture,
      varying: [:])
    for url in [request.url, response.url] {
      guard let url, let key = CacheKey(url, partition: .anonymous) else { continue }
      _ = cache.keep(stored, for: key, askedBy: nil, since: 0, names: .standard)
    }
    add("HTTPCache", cache)
    add("QueryItems", [Canary.secret: Canary.secret] as QueryItems)
    add(
      "JSONValue", ["name": .string(Canary.secret), "list": [.string(Canary.secret)]] as JSONValue)
    let list = try? JSONDecoder().decode(
      LossyArray<Int>.self, from: Data("[\"\(Canary.secret)\"]".utf8))
    add("LossyArray", list?.skipped ?? [])
    for skipped in list?.skipped ?? [] { add("SkippedElement", skipped) }
    add("RequestCoalescer", RequestCoalescer(ignoring: ["X-Request-ID"]))
    add(
      "HTTPLink",
      HTTPLink(
        target: "https://api.example.com/orders?cursor=\(Canary.secret)#\(Canary.secret)",
        parameters: [HTTPLink.Parameter(name: "title", value: Canary.secret)]))
    let challenge = "Digest nonce=\(Canary.secret), Negotiate \(Canary.secret)"
    for challenge in HTTPHeaders(["WWW-Authenticate": challenge]).challenges {
      add("HTTPChallenge", challenge)
    }
    add(
      "RequestBody", RequestBody.data(Self.body, contentType: "text/plain"),
      RequestBody.json([Canary.secret]))
    // Only names: the files are never opened. Errors show a field's name.
    let file = URL(fileURLWithPath: "/tmp/\(Canary.secret)")
    let parts: [MultipartForm.Part] = [
      .text(name: "a", Canary.secret), .file(name: "b", file),
      .data(name: "c", Self.body, filename: Canary.secret, contentType: Canary.secret),
    ]
    add("Part", parts)
    add("MultipartForm", MultipartForm(parts))
    add("RequestBody", RequestBody.multipart(MultipartForm(parts)))
  }
}
