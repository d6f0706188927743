import Testing

@testable import RESTKit

@Suite("Cache-Status")
struct CacheStatusTests {
  @Test("RFC 9211 §2: each status is written as its field")
  func fields() {
    let fields: [(CacheStatus, String)] = [
      (.hit(ttl: 376), "RESTKit; hit; ttl=376"),
      (.hit(ttl: -3, detail: "stale hit"), #"RESTKit; hit; ttl=-3; detail="stale hit""#),
      (.forwarded(.uriMiss), "RESTKit; fwd=uri-miss"),
      (.forwarded(.varyMiss, isStored: true, ttl: 60), "RESTKit; fwd=vary-miss; ttl=60; stored"),
      (
        .forwarded(.stale, status: 304, isCollapsed: true),
        "RESTKit; fwd=stale; fwd-status=304; collapsed"
      ),
      (
        .forwarded(.miss, detail: #"not stored: "ü\"#),
        #"RESTKit; fwd=miss; detail="not stored: \"?\\""#
      ),
    ]
    for (status, text) in fields {
      #expect(status.fieldValue == text)
      #expect(status.description == text)
    }
    #expect(CacheStatus.hit(ttl: 1).isHit)
    #expect(!CacheStatus.forwarded(.bypass).isHit)
  }

  @Test("RFC 9211 §2.2: the reasons have the names of the RFC")
  func reasons() {
    #expect(
      CacheStatus.ForwardReason.allCases.map(\.rawValue) == [
        "bypass", "method", "uri-miss", "vary-miss", "miss", "request", "stale", "partial",
      ])
  }
}
