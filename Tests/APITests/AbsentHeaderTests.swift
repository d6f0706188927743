import Foundation
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Setting a header field if it is absent")
struct AbsentHeaderTests {
  @Test("setIfAbsent returns whether the field was set")
  func told() {
    var request = URLRequest(url: URL(filePath: "/"))
    let isSet = request.setIfAbsent("1", for: "X-A")
    #expect(isSet)
    let isSetAgain = request.setIfAbsent("2", for: "x-a")
    #expect(!isSetAgain)
    #expect(request.allHTTPHeaderFields == ["X-A": "1"])
  }

  @Test("Of several fields, only the absent ones are set")
  func several() {
    var request = URLRequest(url: URL(filePath: "/"))
    request.setIfAbsent(["X-A": "1", "X-B": "2"])
    #expect(request.allHTTPHeaderFields == ["X-A": "1", "X-B": "2"])
    request.setIfAbsent(["x-a": "3", "X-C": "4"])
    #expect(request.allHTTPHeaderFields == ["X-A": "1", "X-B": "2", "X-C": "4"])
  }
}
