import Foundation
import RESTKit
import RESTKitTesting
import Testing

@Suite("Docs/TokenStores.md has the library's text, and its examples run", .leakFree)
struct TokenStoresTests {
  /// Signs in, and then checks the data that the session stored.
  private func signIn(
    _ look: (FileTokenStore, _ file: URL) throws -> Void
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let session = TokenStoresExamples().makeSession(in: folder, transport: StubTransport())
    try session.signIn(Credential(accessToken: "valid", refreshToken: "refresh-1"))

    let file = folder.appending(path: "Shop/credential.json")
    try look(FileTokenStore(file: file), file)
  }

  @Test("The credential of a sign-in is in the file")
  func session() throws {
    try signIn { store, _ in
      let stored = try store.read()
      #expect(stored?.accessToken == "valid")
    }
  }

  @Test("The text of a FileTokenStoreError is the library's")
  func open() throws {
    try signIn { store, file in
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
      let error = #expect(throws: FileTokenStoreError.self) { try store.read() }
      let text = error?.description
        .replacing(file.path, with: "/home/ada/.shop/credential.json")
      let output = try Guide(at: "Docs/TokenStores.md").output("open")
      #expect(text == output.replacing("\n", with: " "))
    }
  }
}
