import Foundation
import Testing

@testable import HTTPWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private enum WhoAmI {
  struct Response: Decodable {}
  struct Page<Item> {
    struct Cursor {}
  }
}

extension Date {
  fileprivate struct Range {}
}

@Suite("The name of a type in an error")
struct TypeNameTests {
  private static func name(_ type: Any.Type) -> String { TypeName(type).description }

  @Test("An array and an optional have the form that a developer writes")
  func sugar() {
    #expect(Self.name(Int.self) == "Int")
    #expect(Self.name([Int].self) == "[Int]")
    #expect(Self.name(Int?.self) == "Int?")
    #expect(Self.name([[Int?]]?.self) == "[[Int?]]?")
    #expect(Self.name([String: [Int]].self) == "Dictionary<String, Array<Int>>")
    #expect(Self.name(Any.self) == "Any")
  }

  @Test("A nested type is named with the types around it, and without its module")
  func nested() {
    #expect(Self.name(WhoAmI.Response.self) == "WhoAmI.Response")
    #expect(Self.name([WhoAmI.Response].self) == "[WhoAmI.Response]")
    #expect(Self.name(WhoAmI.Page<WhoAmI.Response>.self) == "WhoAmI.Page<WhoAmI.Response>")
    #expect(Self.name(WhoAmI.Page<Data>.Cursor?.self) == "WhoAmI.Page<Data>.Cursor?")
    #expect(Self.name(Date.Range.self) == "Date.Range")
    #expect(Self.name((Int, WhoAmI.Response).self) == "(Int, WhoAmI.Response)")
  }

  @Test("A local type has no trace of the runtime's words for its scope")
  func local() {
    struct Local {
      struct Response {}
    }
    #expect(Self.name(Local.self) == "TypeNameTests.Local")
    #expect(Self.name([Local.Response].self) == "[TypeNameTests.Local.Response]")
  }

  @Test("A decoding error names the endpoint's response, and not only \"Response\"")
  func error() throws {
    let url = try #require(URL(string: "https://h.example/whoami"))
    let response = RESTResponse(
      head: ResponseHead(url: url, statusCode: 200, headers: [:]), data: Data("{}".utf8),
      request: RequestSummary(URLRequest(url: url)))
    let error = try #require(throws: RESTError.self) {
      try response.decoded(as: [WhoAmI.Response].self)
    }
    #expect(error.reason.hasPrefix("the response does not decode as [WhoAmI.Response]: "))
  }
}
