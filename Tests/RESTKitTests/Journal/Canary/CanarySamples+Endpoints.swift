import Foundation

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension CanarySamples {
  mutating func addEndpoints(_ request: URLRequest, _ response: RESTResponse) {
    var request = request
    request.httpMethod = "GET"
    let head = ResponseHead(url: response.url, statusCode: 200, headers: ["ETag": "1"])
    let cache = ResponseCache()
    cache.keep(response.replacing(head: head, data: Self.body), for: request)
    add("ResponseCache", cache)
    add("RequestCoalescer", RequestCoalescer(ignoring: ["X-Request-ID"]))
    add(
      "RequestBody", RequestBody.data(Self.body, contentType: "text/plain"),
      RequestBody.json([Canary.secret]))
    // Names only: nobody opens it. A field's name is told, so that an error can name it.
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
