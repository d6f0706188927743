import Foundation
import RESTKit
import Streams

extension Recipes {
  // snippet: upload
  nonisolated struct Backup: Decodable, Sendable, Equatable {
    let bytes: Int
  }

  struct PutBackup: Endpoint {
    typealias Response = Backup
    let name: String
    let archive: URL
    var method: HTTPMethod { .put }
    var path: ResourcePath { "backups/\(name)" }
    var body: RequestBody? { .file(archive) }
  }

  func backUp(
    _ archive: URL, as name: String, telling show: @escaping @Sendable (Double) -> Void
  ) -> AnyPublisher<Backup, any Error> {
    shop.upload(PutBackup(name: name, archive: archive))
      .handleProgress { show($0.fractionCompleted ?? 0) }
      .decode(type: Backup.self)
  }
  // end

  // snippet: upload-path
  func backUp(_ log: Data, as name: String) -> AnyPublisher<RESTResponse, any Error> {
    shop.upload("logs/\(name)", from: .data(log), method: .put)
      .compactMap(\.response)
      .validateStatus()
      .eraseToAnyPublisher()
  }
  // end

  // snippet: progress-in-memory
  func picture(
    at url: URL, telling show: @escaping @Sendable (Double) -> Void
  ) -> AnyPublisher<Data, any Error> {
    shop.events(url: url)
      .validateStatus()
      .handleProgress { show($0.fractionCompleted ?? 0) }
      .collect()
      .map { events in
        events.reduce(into: Data()) { picture, event in
          if case .chunk(let chunk) = event { picture += chunk }
        }
      }
      .eraseToAnyPublisher()
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

  // snippet: download-path
  func fetch(
    _ photo: String, to file: URL, telling show: @escaping @Sendable (Double) -> Void
  ) -> AnyPublisher<DownloadEvent, any Error> {
    shop.download("photos/\(photo)", to: file)
      .handleProgress { show($0.fractionCompleted ?? 0) }
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
