import Foundation
import Testing

@testable import HTTPWire
@testable import RESTKit

@Suite("A path whose values stay in their place")
struct ResourcePathTests {
  private enum Size: String { case large = "l/x" }

  private func encoded(_ path: ResourcePath) throws -> String {
    try path.checked.get().encoded
  }

  @Test("A literal is a path by the rules of endpoints")
  func literals() throws {
    #expect(try encoded("/pets/7/") == "pets/7/")
    #expect(try encoded("") == "")
    #expect(try encoded("caf\u{E9}") == "caf%C3%A9")
    #expect(throws: URLJoinError.self) { try encoded("a//b") }
    #expect(throws: URLJoinError.self) { try encoded("../a") }
    #expect(throws: URLJoinError.self) { try encoded("a?b=c") }
  }

  @Test("A path from a string equals the same literal")
  func runtime() throws {
    let text = "/pets/7"
    #expect(ResourcePath(text) == "pets/7")
  }

  @Test(
    "SEC-02: a value stays in its segment, with any content",
    arguments: [
      ("a/b", "a%2Fb"), ("../admin", "..%2Fadmin"), ("?x=1#y", "%3Fx%3D1%23y"), ("%2e", "%252e"),
      ("a b", "a%20b"), ("https://evil.com", "https%3A%2F%2Fevil.com"), ("\r\n", "%0D%0A"),
      ("\\evil", "%5Cevil"), ("é", "%C3%A9"), ("@evil.com", "%40evil.com"), ("a;b", "a%3Bb"),
    ])
  func values(value: String, escaped: String) throws {
    #expect(try encoded("pets/\(value)/photos") == "pets/\(escaped)/photos")
    #expect(try encoded("\(value)") == escaped)
  }

  @Test("A segment may have text and several values")
  func mixed() throws {
    #expect(try encoded("files/v\(1).\(2)/\("a/b").json") == "files/v1.2/a%2Fb.json")
    #expect(try encoded("/\(7)") == "7")
  }

  @Test("Numbers, UUIDs, booleans and raw values are values")
  func types() throws {
    let id = try #require(UUID(uuidString: "6F9619FF-8B86-D011-B42D-00CF4FC964FF"))
    #expect(
      try encoded("\(7)/\(1.5)/\(true)/\(id)/\(Size.large)")
        == "7/1.5/true/6F9619FF-8B86-D011-B42D-00CF4FC964FF/l%2Fx")
  }

  @Test("SEC-02: an empty value or a segment of dots is refused, and the value is not shown")
  func refused() {
    let dots = "."
    for path: ResourcePath in ["a/\("")/b", "a/\(".")", "a/\("..")", ".\(dots)", "%2e\(dots)/a"] {
      let error = #expect(throws: URLJoinError.self) { try encoded(path) }
      #expect(error?.part == .pathParameter)
    }
    #expect(throws: Never.self) { try encoded("a/\("...")/\("..a")") }
  }

  @Test("The error for a wrong literal has letters in place of the values")
  func brokenLiteral() {
    let error = #expect(throws: URLJoinError.self) { try encoded("a//\("s3cret")") }
    #expect(error?.part == .endpoint)
    #expect(error?.description.contains("s3cret") == false)
  }

  @Test("A value that is too long is refused, and so is a path")
  func tooLong() {
    let long = String(repeating: "x", count: EndpointPath.maximumLength / 2)
    #expect(throws: Never.self) { try encoded("\(long)") }
    #expect(throws: URLJoinError.self) { try encoded("\(long)/\(long)/\(long)") }
    #expect(throws: URLJoinError.self) { try encoded("\(long + long + long)") }
  }

  @Test("A path's text is the path, or the error")
  func description() {
    #expect("\("pets/\(7)" as ResourcePath)" == "pets/7")
    #expect("\("a//b" as ResourcePath)".contains("empty segment"))
  }
}
