import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// The same request with a fixed boundary instead of a random one.
  var withFixedBoundary: URLRequest {
    guard let type = value(forHTTPHeaderField: "Content-Type"),
      type.lowercased().hasPrefix("multipart/"),
      let boundary = StubPart.parameter("boundary", of: type), !boundary.isEmpty
    else { return self }
    var request = self
    request.setValue(
      type.replacing(boundary, with: Self.fixedBoundary), forHTTPHeaderField: "Content-Type")
    request.httpBody = httpBody.map {
      $0.replacing(Data("--\(boundary)".utf8), with: Data("--\(Self.fixedBoundary)".utf8))
    }
    return request
  }

  private static let fixedBoundary = "recorded-boundary"
}
