import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import IdentityKit
@testable import RESTKit
@testable import RESTKitReports

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

enum HARFixtures {
  static let folder = Corpus.folder.appending(path: "HAR")

  static func golden(_ name: String) throws -> Data {
    try Data(contentsOf: folder.appending(path: name))
  }

  /// A recorder on virtual time, at the first second of 2026.
  static func recorder(
    _ transport: any Transport, redaction: Redaction = .strict,
    clock: TestScheduler = TestScheduler(), bodyLimit: Int = 1 << 20
  ) -> HARRecorder {
    HARRecorder(transport, redaction: redaction, bodyLimit: bodyLimit, clock: clock) {
      Date(timeIntervalSince1970: 1_767_225_600)
    }
  }

  /// 401, refresh, and 200, each with its secrets.
  static func refreshedProfile() -> StubTransport {
    StubTransport(
      Identity.script(refresh: .json(Identity.refreshed), retry: Identity.profile))
  }

  static func service(_ transport: any Transport) -> IdentityService {
    IdentityService(
      baseURL: Identity.baseURL, transport: transport,
      tokens: MemoryTokenStore(Identity.credential), deliveringOn: .immediate)
  }

  static func violations(_ data: Data) throws -> [String] {
    HARSchema.violations(in: try json(data))
  }

  static func json(_ data: Data) throws -> JSONValue {
    try JSONDecoder().decode(JSONValue.self, from: data)
  }
}
