import Foundation
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A header field that is set unless there is one of that name")
struct AbsentHeaderTests {
  @Test("It says whether it was set")
  func told() {
    var request = URLRequest(url: URL(filePath: "/"))
    let isSet = request.setIfAbsent("1", for: "X-A")
    #expect(isSet)
    let isSetAgain = request.setIfAbsent("2", for: "x-a")
    #expect(!isSetAgain)
    #expect(request.allHTTPHeaderFields == ["X-A": "1"])
  }

  @Test("Of several, those are set that are not there")
  func several() {
    var request = URLRequest(url: URL(filePath: "/"))
    request.setIfAbsent(["X-A": "1", "X-B": "2"])
    #expect(request.allHTTPHeaderFields == ["X-A": "1", "X-B": "2"])
    request.setIfAbsent(["x-a": "3", "X-C": "4"])
    #expect(request.allHTTPHeaderFields == ["X-A": "1", "X-B": "2", "X-C": "4"])
  }
}
