import Foundation
import RESTKit
import Streams

extension Composing {
  // snippet: progress
  func send(
    _ photo: URL, telling show: @escaping @Sendable (Double) -> Void
  ) -> AnyPublisher<RESTResponse, any Error> {
    shop.upload(endpoint: "photos", body: .file(photo))
      .handleProgress { show($0.fractionCompleted ?? 0) }
      .compactMap(\.response)
      .validateStatus()
      .eraseToAnyPublisher()
  }
  // end
}
