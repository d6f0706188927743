import Foundation
import Streams
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The offset at which a stream goes on")
struct StreamDeliveryTests {
  @Test("A stream of more bytes than 32 bits count goes on behind the last")
  func offset() throws {
    let chunk: Int64 = 3 << 30
    let delivery = StreamDelivery<Int64>(
      resume: { $0.settingHeader("Range", to: "bytes=\($1.length)-") }, length: { $0 })
    for _ in 1...3 { #expect(delivery.note(chunk)) }
    var request = URLRequest(url: try #require(URL(string: "https://api.example.com/log")))
    #expect(try delivery.prepare(&request) == .part(RangeQuery(range: "bytes=9663676416-")))
    #expect(request.value(forHTTPHeaderField: "Range") == "bytes=9663676416-")
  }

  @Test("An event has its bytes as its length, and only those of the stream count")
  func lengths() throws {
    let delivery = StreamDelivery<Data?>(
      resume: { $0.settingHeader("Range", to: "bytes=\($1.length)-") },
      length: { $0.map { Int64($0.count) } })
    #expect(delivery.canGoOn)
    #expect(delivery.note(Data(count: 5)))
    #expect(!delivery.note(nil))
    var request = URLRequest(url: try #require(URL(string: "https://api.example.com/log")))
    #expect(try delivery.prepare(&request) == .part(RangeQuery(range: "bytes=5-")))
    #expect(request.value(forHTTPHeaderField: "Range") == "bytes=5-")
  }
}
