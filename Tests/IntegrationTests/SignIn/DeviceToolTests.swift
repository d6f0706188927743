import Foundation
import RESTKit
import Testing

extension IntegrationTests.SignIn {
  @Suite("The example devicesignin, as a process")
  struct DeviceTool {
    @Test("The tool shows the address, waits for the user, and does not print the credential")
    func accepted() async throws {
      let tool = try await Tool(.accept)
      #expect(tool.status == 0)
      #expect(tool.lastWords == "Signed in.\n")
      let file = tool.home.appending(path: ".devicesignin/credential.json")
      let credential = try #require(try FileTokenStore(file: file).read())
      #expect(try await tool.server.status(of: credential.accessToken) == 200)
      let attributes = try FileManager.default.attributesOfItem(atPath: file.path())
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("The tool ends with the server's error if the user declines")
    func declined() async throws {
      let tool = try await Tool(.deny)
      #expect(tool.status == 1)
      #expect(tool.lastWords.contains("access_denied"))
    }
  }
}

/// A run of the tool, with a user who decides.
private final class Tool {
  let server: OAuthServer
  let home = FileManager.default.temporaryDirectory.appending(component: UUID().uuidString)
  let status: Int32
  /// The tool's output after the user's decision.
  let lastWords: String

  init(_ decision: BrowsingUser.Decision) async throws {
    server = try OAuthServer(.default)
    let (_, registration) = try await server.makeClient(
      grant: "urn:ietf:params:oauth:grant-type:device_code")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)

    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0])
      .deletingLastPathComponent().appending(component: "devicesignin")
    process.arguments = [server.issuer, registration.id, "read"]
    // Its own folder, where coverage is written, too.
    process.currentDirectoryURL = home
    process.environment = ["HOME": home.path(), "CFFIXED_USER_HOME": home.path()]
    let output = Pipe()
    process.standardOutput = output
    try process.run()

    let task = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let words = try #require(task.wholeMatch(of: #/Open (\S+) and enter (\w+)\.\n/#), "\(task)")
    let page = try #require(URL(string: String(words.1)))
    try await BrowsingUser(of: server, registration).decide(decision, on: String(words.2), at: page)

    lastWords = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    status = process.terminationStatus
  }

  deinit { try? FileManager.default.removeItem(at: home) }
}
