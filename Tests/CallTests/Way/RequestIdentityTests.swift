import Foundation
import Testing

@testable import RESTKit

@Suite("Who asks, and over which road")
struct RequestIdentityTests {
  private func identity(
    _ fields: [String: String] = [:], to url: String = "https://api.example.com/a",
    over road: TransportIdentity = .plain, askedBy principal: SignInSpan? = nil,
    adding names: [String] = []
  ) -> RequestIdentity {
    RequestIdentity(
      of: fields, to: url, over: road, askedBy: principal,
      names: SecretNames(adding: names))
  }

  @Test("No usual name is that of a secret")
  func usual() {
    for name in SecretNames.usual {
      #expect(!SecretNames.standard.contains(field: name) && !SecretNames.standard.contains(name))
    }
  }

  @Test("Each credential tells users apart, by its name and its bytes")
  func credentials() {
    let all = [
      [:], ["Cookie": "a"], ["Cookie": "b"], ["X-Auth-Token": "a"], ["X-Own": "a"],
      ["Cookie": "\u{E9}"], ["Cookie": "e\u{301}"], ["Cookie": "a", "X-Auth-Token": "a"],
    ].map { identity($0, adding: ["X-Own"]) }
    #expect(Set(all).count == all.count)
    #expect(all.map(\.hasSecret) == [false] + Array(repeating: true, count: all.count - 1))
    #expect(identity(["cookie": "a"]) == identity(["Cookie": "a"]))
    #expect(identity(["X-Own": "a"]) == identity(["Accept": "b"]))
  }

  @Test("A user is the same with each token, and another one with each other credential")
  func principals() {
    let spans = [SignInSpan(of: SessionTag()), SignInSpan(of: SessionTag())]
    let tokens = ["1", "2"].map { identity(["Authorization": $0], askedBy: spans[0]) }
    #expect(tokens[0] == tokens[1])
    #expect(identity(["Authorization": "1"], askedBy: spans[1]) != tokens[0])
    #expect(identity(["Authorization": "1", "Cookie": "a"], askedBy: spans[0]) != tokens[0])
    #expect(identity(["Authorization": "1"]) != identity(["Authorization": "2"]))
  }

  @Test("Only an identity without a secret, over a road that another process knows, lasts")
  func lasting() {
    #expect(identity() == .anonymous)
    #expect(identity().isLasting)
    #expect(identity(to: "https://api.example.com/a?page=2&lang=en").isLasting)
    #expect(identity(over: TransportIdentity(lasting: "socket /a")).name == "socket /a")
    for other in [
      identity(over: TransportIdentity()), identity(["Cookie": "a"]),
      identity(askedBy: SignInSpan(of: SessionTag())),
      identity(to: "https://api.example.com/a?page=2&access%5Ftoken=1"),
      identity(to: "https://api.example.com/a?own=1", adding: ["own"]),
    ] {
      #expect(!other.isLasting)
    }
  }
}
