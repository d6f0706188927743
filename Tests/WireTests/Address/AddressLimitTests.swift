import Foundation
import Testing

@testable import HTTPWire
@testable import RESTKit

@Suite("SEC-01, SEC-03, SEC-04: the longest allowed parts, and one byte more")
struct AddressLimitTests {
  private func letters(_ count: Int) -> String { String(repeating: "a", count: count) }

  private func refusal(_ work: () throws(URLJoinError) -> Void) -> URLJoinError? {
    do throws(URLJoinError) {
      try work()
      return nil
    } catch {
      return error
    }
  }

  @Test("A base URL has 8,192 bytes at most")
  func base() throws {
    let longest = "https://h/" + letters(8_182)
    #expect(try BaseURL(longest).path.utf8.count == 8_183)
    let refused = refusal { () throws(URLJoinError) in _ = try BaseURL(longest + "a") }
    #expect(refused?.part == .baseURL)
  }

  @Test("A path has 65,535 bytes at most, counted as encoded")
  func encoded() throws {
    let longest = String(repeating: "é", count: 10_922) + "abc"
    #expect(try EndpointPath(longest).encoded.utf8.count == 65_535)
    let refused = refusal { () throws(URLJoinError) in _ = try EndpointPath(longest + "a") }
    #expect(refused?.part == .endpoint)
  }

  @Test("A path made of a value has 65,535 bytes at most")
  func value() throws {
    let longest = letters(65_535)
    let longer = longest + "a"
    let fits: ResourcePath = "\(longest)"
    let tooLong: ResourcePath = "\(longer)"
    #expect(try fits.checked.get().encoded.utf8.count == 65_535)
    let refused = refusal { () throws(URLJoinError) in _ = try tooLong.checked.get() }
    #expect(refused?.part == .pathParameter)
  }

  @Test(
    "A path with an appended segment has 65,535 bytes at most",
    arguments: [("", 65_535), ("a", 65_533)])
  func segment(start: String, count: Int) throws {
    var path = try EndpointPath(start)
    let refused = refusal { () throws(URLJoinError) in
      try path.append(segment: letters(count + 1))
    }
    #expect(refused?.part == .pathParameter)
    #expect(path.encoded == start)
    try path.append(segment: letters(count))
    #expect(path.encoded.utf8.count == 65_535)
  }

  @Test("Two joined paths have 65,535 bytes at most, with one slash between them")
  func row() throws {
    for (start, expected) in [("", "b"), ("a", "a/b"), ("a/", "a/b")] {
      var path = try EndpointPath(start)
      try path.append(EndpointPath("b"))
      #expect(path.encoded == expected)
    }
    let long = try EndpointPath(letters(65_533))
    var path = try EndpointPath("aa")
    let refused = refusal { () throws(URLJoinError) in try path.append(long) }
    #expect(refused?.part == .endpoint)
    #expect(path.encoded == "aa")
    path = try EndpointPath("a")
    try path.append(long)
    #expect(path.encoded.utf8.count == 65_535)
  }

  @Test("A query has 1,048,576 bytes at most, after any base")
  func query() throws {
    let base = try BaseURL("https://h/v1")
    func items(_ count: Int) -> QueryItems { ["a": letters(count)] }
    let url = try base.url(endpoint: "b", query: items(1_048_573))
    #expect(url.absoluteString.utf8.count == "https://h/v1/b".utf8.count + 1_048_576)
    let refused = refusal { () throws(URLJoinError) in
      _ = try base.url(endpoint: "b", query: items(1_048_574))
    }
    #expect(refused?.part == .query)
  }
}

@Suite("SEC-04: valid hosts")
struct URLHostTests {
  @Test(
    "A name has labels of 63 bytes at most and 253 in all, without the trailing dot",
    arguments: [
      ("h.\(String(repeating: "a", count: 63))", true),
      ("h.\(String(repeating: "a", count: 64))", false),
      (String(repeating: "a.", count: 127), true),
      ("aa.\(String(repeating: "a.", count: 125))a", false),
    ])
  func names(name: String, isHost: Bool) {
    #expect((URLHost(name: name) != nil) == isHost)
  }

  @Test(
    "An IPv6 address has eight groups, and an IPv4 address at its end counts as two",
    arguments: [
      ("1:2:3:4:5:6:7:8", true), ("1:2:3:4:5:6:7::", true), ("::2:3:4:5:6:7:8", true),
      ("1:2:3:4:5:6:7", false), ("1:2:3:4:5:6:7:8::", false),
      ("1:2:3:4:5:6:1.2.3.4", true), ("1:2:3:4:5:6:7:1.2.3.4", false),
      ("1:2:3:4:5:1.2.3.4", false), ("0000:0000:0000:0000:0000:ffff:192.168.100.228", true),
    ])
  func groups(address: String, isHost: Bool) {
    #expect((URLHost(ipv6: address) != nil) == isHost)
  }

  @Test(
    "The IPv4 address has four numbers, without an extra dot or digit",
    arguments: [
      ("::0.10.200.255", true), ("::1..2.3.4", false), ("::1.2.3.4.", false), ("::1.2..4", false),
      ("::1.2.3.04", false), ("::1.2.3.256", false), ("::1.2.3.1234", false), ("::1.2.3.+4", false),
    ])
  func numbers(address: String, isHost: Bool) {
    #expect((URLHost(ipv6: address) != nil) == isHost)
  }
}

@Suite("SEC-01: the part of a path that its error shows")
struct URLJoinExcerptTests {
  private func excerpt(of text: String) -> String? {
    URLJoinError(.endpoint, text: text, "is none", remedy: "leave it out").excerpt
  }

  @Test(
    "The shown part ends before possible user info, and at no other slash",
    arguments: [
      ("//user@h", "//…"), ("u:p@h", "u:…"), ("a/b@c", "a/b@c"), ("a//b:c", "a//b:c"),
    ])
  func userInfo(text: String, shown: String) {
    #expect(excerpt(of: text) == shown)
  }

  @Test("An at sign is searched for in the first 4,096 characters")
  func far() {
    #expect(excerpt(of: "u:" + String(repeating: "a", count: 4_093) + "@") == "u:…")
  }
}
