import Foundation
import RESTKit
import Streams

extension Composing {
  // snippet: progress
  func send(
    _ photo: URL, telling show: @escaping @Sendable (Double) -> Void
  ) -> AnyPublisher<RESTResponse, any Error> {
    shop.upload(endpoint: "photos", body: .file(photo))
      .compactMap { event -> RESTResponse? in
        switch event {
        case .progress(let progress):
          show(progress.fractionCompleted ?? 0)
          return nil
        case .response(let response): return response
        }
      }
      .validateStatus()
      .eraseToAnyPublisher()
  }
  // end
}
