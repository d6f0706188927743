// Uploads and downloads of Docs/FromAlamofire.md.
import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension FromAlamofire {
  static func backUp(
    _ file: URL, to api: ShopAPI, show: @escaping @Sendable (Double) -> Void
  ) async throws -> Int {
    // snippet: upload
    let response = try await api.upload(.put, endpoint: "backups/today", body: .file(file))
      .handleProgress { show($0.fractionCompleted ?? 0) }
      .compactMap(\.response)
      .value
    // end
    return response.statusCode
  }

  static func fetchCatalog(
    of api: ShopAPI, to file: URL, show: (Double) -> Void
  ) async throws {
    // snippet: download
    for try await event in api.download(endpoint: "catalog.tar", to: file).values {
      if case .progress(let progress) = event { show(progress.fractionCompleted ?? 0) }
    }
    // end
  }

  // snippet: multipart
  struct SendPhoto: Endpoint {
    typealias Response = Void
    let title: String
    let photo: URL
    var method: HTTPMethod { .post }
    var path: ResourcePath { "photos" }
    var body: RequestBody? {
      .multipart([
        .text(name: "title", title),
        .file(name: "photo", photo, filename: "rex.jpg", contentType: "image/jpeg"),
      ])
    }
  }
  // end

  #if os(Linux)
    static func pinned(authority: URL) throws -> any Transport {
      // snippet: pins
      var tls = TLSOptions()
      tls.authorities = .file(authority)
      tls.pinnedPublicKeys = ["sha256//YhKJKSzoTt2b5FP18fvpHo7fJYqQCjAa3HWY3tvRMwE="]
      let transport = try CurlTransport(tls: tls)
      // end
      return transport
    }
  #endif
}
