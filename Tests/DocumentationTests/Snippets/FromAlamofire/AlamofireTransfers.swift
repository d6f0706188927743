// Uploads and downloads of Docs/FromAlamofire.md.
import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension FromAlamofire {
  static func backUp(
    _ file: URL, to api: ShopAPI, show: (Double) -> Void
  ) async throws -> Int? {
    var status: Int?
    // snippet: upload
    let upload = api.upload(.put, endpoint: "backups/today", body: .file(file))
    for try await event in upload.values {
      switch event {
      case .progress(let progress): show(progress.fractionCompleted ?? 0)
      case .response(let response): status = response.statusCode
      }
    }
    // end
    return status
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
  struct Part {
    var name: String
    var fileName: String?
    var type = "text/plain"
    var data: Data
  }

  static func multipart(_ parts: [Part], boundary: String = UUID().uuidString) -> EndpointBody {
    // A name must not end its quotes or its line (as browsers write it).
    let escapes: [Unicode.Scalar: String] = ["\"": "%22", "\r": "%0D", "\n": "%0A"]
    let quoted = { (name: String) in
      "\"\(name.unicodeScalars.map { escapes[$0] ?? String($0) }.joined())\""
    }
    var body = Data()
    for part in parts {
      let file = part.fileName.map { "; filename=\(quoted($0))" } ?? ""
      body += Data(
        """
        --\(boundary)\r
        Content-Disposition: form-data; name=\(quoted(part.name))\(file)\r
        Content-Type: \(part.type)\r
        \r\n
        """.utf8)
      body += part.data + Data("\r\n".utf8)
    }
    body += Data("--\(boundary)--\r\n".utf8)
    return .data(body, contentType: "multipart/form-data; boundary=\(boundary)")
  }
  // end

  struct SendPhoto: Endpoint {
    typealias Response = Void
    let photo: Data
    var method: HTTPMethod { .post }
    var path: ResourcePath { "photos" }
    var body: EndpointBody? {
      multipart([
        Part(name: "title", data: Data("Rex".utf8)),
        Part(name: "photo", fileName: "rex.jpg", type: "image/jpeg", data: photo),
      ])
    }
  }

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
