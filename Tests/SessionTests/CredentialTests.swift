import Fixtures
import Foundation
import RESTKit
import Testing

@testable import IdentityKit

@Suite("Credentials and their stores")
struct CredentialTests {
  private let credential = Credential(accessToken: "canary-a", refreshToken: "canary-r")

  @Test("No text of a credential shows a token")
  func hidden() {
    for text in allTexts(of: credential) { #expect(!text.contains("canary"), "\(text)") }
    for text in allTexts(of: Optional(credential)) { #expect(!text.contains("canary"), "\(text)") }
  }

  @Test("The text of a credential tells which parts are present")
  func description() {
    #expect("\(credential)" == "Credential(accessToken: hidden, refreshToken: hidden)")
    #expect(
      "\(Credential(accessToken: ""))" == "Credential(accessToken: empty, refreshToken: none)")
    #expect(String(reflecting: credential) == "\(credential)")
  }

  @Test("No text of a memory store or a service shows a token")
  func holders() throws {
    let store = MemoryTokenStore(credential)
    let service = IdentityService(baseURL: "https://id.example.com", tokens: store)
    for text in allTexts(of: store) + allTexts(of: service) {
      #expect(!text.contains("canary"), "\(text)")
    }
  }

  @Test("A memory store returns the written credential, and nil removes it")
  func memoryStore() {
    let store = MemoryTokenStore()
    #expect(store.read() == nil)
    store.write(credential)
    #expect(store.read() == credential)
    store.write(nil)
    #expect(store.read() == nil)
    #expect(MemoryTokenStore(credential).read() == credential)
  }

  @Test("A memory store supports writers and readers in many tasks")
  func memoryStoreIsThreadSafe() async {
    let store = MemoryTokenStore()
    await withTaskGroup { group in
      for number in 0..<100 {
        group.addTask {
          store.write(Credential(accessToken: "\(number)", refreshToken: "\(number)"))
          if let read = store.read() { #expect(read.accessToken == read.refreshToken) }
        }
      }
    }
    #expect(store.read() != nil)
  }

  @Test("A credential can be encoded and decoded, so a store can be a file")
  func codable() throws {
    for credential in [credential, Credential(accessToken: "a")] {
      let data = try JSONEncoder().encode(credential)
      #expect(try JSONDecoder().decode(Credential.self, from: data) == credential)
    }
  }
}
