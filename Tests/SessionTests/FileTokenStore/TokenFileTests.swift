import Fixtures
import Foundation
import Testing

@testable import RESTKit

@Suite("The content of a token file")
struct TokenFileTests {
  @Test("The content is JSON with a version, so that a later version can read it")
  func format() throws {
    let folder = try TokenFolder()
    try folder.store.write(.canaries)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: folder.file)) as? [String: Any])
    #expect(object["version"] as? Int == 1)
    let credential = try #require(object["credential"] as? [String: Any])
    #expect(credential["accessToken"] as? String == "canary-a")
    #expect(credential["refreshToken"] as? String == "canary-r")
  }

  @Test("SEC-13: a credential that an app encoded itself is read, and updated")
  func oldFormat() throws {
    let folder = try TokenFolder()
    try folder.put(String(decoding: try JSONEncoder().encode(Credential.canaries), as: UTF8.self))
    #expect(try folder.store.read() == .canaries)
    #expect(try folder.store.replace(.canaries, with: .number(1)))
    #expect(try folder.store.read() == .number(1))
    #expect(try String(contentsOf: folder.file, encoding: .utf8).contains(#""version" : 1"#))
  }

  @Test(
    "SEC-13: a member that is null counts as absent, and not as a later version's",
    arguments: [
      #"{"version": 1, "credential": {"accessToken": "a", "expiresAt": null}}"#,
      #"{"version": 1, "credential": {"accessToken": "a", "refreshToken": null, "scope": null}}"#,
      #"{"accessToken": "a", "account": null, "expiresAt": null}"#,
    ])
  func null(content: String) throws {
    let folder = try TokenFolder()
    try folder.put(content)
    #expect(try folder.store.read() == Credential(accessToken: "a"))
    #expect(try folder.store.replace(Credential(accessToken: "a"), with: .number(1)))
    #expect(try folder.store.read() == .number(1))
  }

  @Test("SEC-13: each member of a credential is a known member")
  func members() throws {
    let folder = try TokenFolder()
    let credential = Credential(
      accessToken: "a", refreshToken: "r", issuedAt: Date(timeIntervalSince1970: 0.1),
      expiresAt: Date(timeIntervalSince1970: 1), scope: "s", account: "u")
    try folder.store.write(credential)
    #expect(try folder.store.read() == credential)
  }

  @Test(
    "SEC-13: content of a later version is refused and not changed, except by a sign-in",
    arguments: [
      #"{"version": 2, "credential": {"accessToken": "a"}}"#,
      #"{"version": 1, "credential": {"accessToken": "a"}, "more": 1}"#,
      #"{"version": 1, "credential": {"accessToken": "a", "more": 1}}"#,
      #"{"accessToken": "a", "more": 1}"#,
      #"{"accessToken": "a", "more": null}"#,
      // Known names at another level.
      #"{"version": 1, "credential": {"accessToken": "a", "version": 2}}"#,
      #"{"version": 1, "credential": {"accessToken": "a", "credential": {}}}"#,
      #"{"version": 1, "credential": {"accessToken": "a"}, "refreshToken": "r"}"#,
      #"{"accessToken": "a", "credential": {"refreshToken": "r"}}"#,
    ])
  func laterVersion(content: String) throws {
    let folder = try TokenFolder()
    try folder.put(content)
    let error = #expect(throws: FileTokenStoreError.self) { try folder.store.read() }
    #expect(error?.kind == .laterVersion)
    #expect(
      error?.description
        == "The token store's \(folder.file.path) was written by a later version of RESTKit. "
        + "Update this program, or sign in anew.")
    #expect(throws: FileTokenStoreError.self) {
      try folder.store.replace(Credential(accessToken: "a"), with: .number(1))
    }
    #expect(try String(contentsOf: folder.file, encoding: .utf8) == content)
    try folder.store.write(.number(1))
    #expect(try folder.store.read() == .number(1))
  }

  @Test(
    "TR-21: content that is not a credential is an error, and not a sign-out",
    arguments: [
      "", " ", "{", "null", "[]", "{}", #"{"version": 1}"#, #"{"version": "1"}"#,
      #"{"version": 1, "credential": {}}"#, #"{"version": 1, "credential": null}"#,
      #"{"version": 1, "credential": {"accessToken": "a"}"#, "\u{0}\u{0}",
    ])
  func malformed(content: String) throws {
    let folder = try TokenFolder()
    try folder.put(content)
    let error = #expect(throws: FileTokenStoreError.self) { try folder.store.read() }
    #expect(error?.kind == .malformed)
    #expect(error?.path == folder.file.path)
  }
}
