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
}
// end
