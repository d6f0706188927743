import Foundation
import RESTKit
import Streams

// snippet: transfers
extension ShopAPI {
  func saveCatalog(to file: URL) -> AnyPublisher<DownloadEvent, any Error> {
    download(endpoint: "catalog.tar", to: file)
  }

  func restoreBackup(from file: URL) -> AnyPublisher<UploadEvent, any Error> {
    upload(.put, endpoint: "backup", body: .file(file)) {
      $0.addingBearerAuthorization(token: "…")
    }
  }

  func publish(_ photo: URL, title: String) -> AnyPublisher<RESTResponse, any Error> {
    post(
      endpoint: "photos",
      body: .multipart([
        .text(name: "title", title), .file(name: "photo", photo, contentType: "image/jpeg"),
      ]))
  }
}
// end
