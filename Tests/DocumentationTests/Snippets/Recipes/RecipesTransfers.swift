import Foundation
import RESTKit
import Streams

extension Recipes {
  // snippet: upload
  func back(up archive: URL) -> AnyPublisher<UploadEvent, any Error> {
    shop.upload(.put, endpoint: "backup", body: .file(archive))
  }

  func say(_ event: UploadEvent) -> String {
    switch event {
    case .progress(let progress): "\(Int((progress.fractionCompleted ?? 0) * 100)) %"
    case .response(let response): response.isSuccess ? "done" : "refused"
    }
  }
  // end

  // snippet: multipart
  func publish(_ photo: URL, title: String) -> AnyPublisher<UploadEvent, any Error> {
    shop.upload(
      endpoint: "photos",
      body: .multipart([
        .text(name: "title", title),
        .file(name: "photo", photo, contentType: "image/jpeg"),
      ]))
  }
  // end

  // snippet: download
  func fetchCatalog(to file: URL) -> AnyPublisher<DownloadEvent, any Error> {
    shop.download(endpoint: "catalog.tar", to: file)
  }
  // end

  // snippet: chunks
  func append(_ lines: some Publisher<String, any Error>) -> AnyPublisher<UploadEvent, any Error> {
    shop.upload(endpoint: "log", body: .chunks(lines.map { Data("\($0)\n".utf8) }))
  }
  // end
}
