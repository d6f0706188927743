import Foundation
import RESTKit
import RESTKitSignIn
import Testing

/// A private RSA key, by which `openssl` signs.
struct SigningKey: Sendable {
  private let pem: String

  init(_ pem: String) { self.pem = pem }

  func assertion(for server: AuthorizationServer, keyID: String?) -> ClientAssertion {
    // Canaille expects its token endpoint.
    ClientAssertion(
      for: server, algorithm: "RS256", keyID: keyID, audience: .tokenEndpoint
    ) { try signature(of: $0) }
  }

  /// The signature RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 §3.3).
  func signature(of bytes: Data) throws -> Data {
    let folder = FileManager.default.temporaryDirectory.appending(component: UUID().uuidString)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: folder) }
    let (key, message) = (folder.appending(path: "key"), folder.appending(path: "message"))
    try Data(pem.utf8).write(to: key)
    try bytes.write(to: message)

    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["openssl", "dgst", "-sha256", "-sign", key.path(), message.path()]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let signature = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return signature
  }
}
