import Foundation
import Testing

@testable import RESTKit

@Suite("RT-13: the budget of retries")
struct RetryBudgetTests {
  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  private func origin(_ text: String) throws -> Origin { Origin(try url(text)) }

  @Test("A retry spends the budget and returns the remaining number")
  func spends() throws {
    let budget = RetryBudget(burst: 3)
    let host = try origin("https://a.example/x")
    #expect((1...4).map { _ in budget.take(for: host) } == [2, 1, 0, nil])
    #expect(budget.remaining(for: try url("https://a.example/other?y")) == 0)
  }

  @Test("A success fills the budget, never above its capacity")
  func refills() throws {
    let budget = RetryBudget(burst: 2, successesPerRetry: 3)
    let host = try origin("https://a.example")
    for _ in 1...9 { budget.noteSuccess(of: host) }
    #expect((1...3).map { _ in budget.take(for: host) } == [1, 0, nil])
    for _ in 1...2 { budget.noteSuccess(of: host) }
    #expect(budget.take(for: host) == nil)
    budget.noteSuccess(of: host)
    #expect(budget.take(for: host) == 0)
    for _ in 1...100 { budget.noteSuccess(of: host) }
    #expect((1...3).map { _ in budget.take(for: host) } == [1, 0, nil])
  }

  @Test("Each host has its own budget, by scheme and port")
  func hosts() throws {
    let budget = RetryBudget(burst: 1)
    #expect(budget.take(for: try origin("https://a.example")) == 0)
    #expect(budget.take(for: try origin("https://A.example:443/x")) == nil)
    for other in ["https://b.example", "http://a.example", "https://a.example:8443"] {
      #expect(budget.take(for: try origin(other)) == 0)
    }
  }

  @Test("A budget without capacity allows no retry", arguments: [0, -1, Int.min])
  func none(burst: Int) throws {
    let budget = RetryBudget(burst: burst, successesPerRetry: burst)
    let host = try origin("https://a.example")
    budget.noteSuccess(of: host)
    #expect(budget.take(for: host) == nil)
    #expect(budget.remaining(for: try url("https://a.example")) == 0)
  }

  @Test("A budget accepts the largest numbers")
  func huge() throws {
    let budget = RetryBudget(burst: .max, successesPerRetry: .max)
    #expect(budget.burst == 1_000_000)
    #expect(budget.successesPerRetry == 1_000_000)
    #expect(budget.take(for: try origin("https://a.example")) != nil)
    #expect(budget.remaining(for: try url("https://a.example")) > 0)
  }

  @Test("A budget never gives more than its capacity to concurrent threads")
  func threads() async throws {
    let budget = RetryBudget(burst: 50)
    let host = try origin("https://a.example")
    let taken = await withTaskGroup(of: Int.self) { group in
      for _ in 1...8 {
        group.addTask { (1...100).count { _ in budget.take(for: host) != nil } }
      }
      return await group.reduce(0, +)
    }
    #expect(taken == 50)
  }
}
