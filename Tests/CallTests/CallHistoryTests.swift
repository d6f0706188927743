import Fixtures
import Foundation
import StreamsTesting
import Testing

@testable import HTTPWire
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The history of a call's events")
struct CallHistoryTests {
  private let url = URL(string: "https://h.example/me")

  private func request(_ number: Int) -> URLRequest {
    URLRequest(url: url?.appendingPathComponent("\(number)") ?? URL(fileURLWithPath: "/"))
  }

  private func entry(_ number: Int) -> CallEntry {
    let content: CallEntry.Content =
      switch number % 3 {
      case 0: .built(request(number))
      case 1: .event(.sent(attempt: number, cause: .first))
      default: .event(.failed("\(number)"))
      }
    return CallEntry(time: .milliseconds(number), content: content)
  }

  @Test("A history keeps the first 64 and the last 192 events, and counts those between them")
  func bounds() {
    var history = CallHistory()
    for count in 1...1_000 {
      let forgotten = history.append(entry(count - 1))
      #expect((forgotten == nil) == (count <= 256))
      #expect(history.duration == .milliseconds(count - 1))
      guard count % 37 == 0 || 250...260 ~= count else { continue }
      let events = history.events(inCall: 7)
      let times = events.map { $0.time / .milliseconds(1) }.map { Int($0) }
      let omitted = max(count - 256, 0)
      guard omitted > 0 else {
        #expect(times == Array(0..<count))
        continue
      }
      // The gap has the time of what was left out last.
      #expect(times == Array(0..<64) + [63 + omitted] + Array(64 + omitted..<count))
      let requests = (64..<64 + omitted).count { $0 % 3 == 1 }
      #expect(events.allSatisfy { $0.call == 7 })
      guard case .omitted(omitted, requests) = events[64].kind else {
        Issue.record("\(events[64])")
        return
      }
      #expect(
        "\(events[64])"
          == "\(omitted) events are left out here, with \(requests) requests that were sent")
    }
  }

  @Test("An entry without its request has the same text, and releases its request once")
  func settling() {
    var (history, untouched) = (CallHistory(), CallHistory())
    var released = 0
    for number in 0..<1_000 {
      _ = history.append(entry(number))
      _ = untouched.append(entry(number))
      if number % 97 == 5 { released += history.releaseRequests().count }
    }
    released += history.releaseRequests().count
    #expect(history.releaseRequests().isEmpty)
    // No more than 97 come between two settlings, so none is forgotten before it.
    #expect(released == 1_000)
    #expect(
      history.events(inCall: 0).map(\.description) == untouched.events(inCall: 0).map(\.description)
    )
  }

  @Test("A forgotten entry releases nothing")
  func forgotten() {
    var history = CallHistory()
    for number in 0..<1_000 { _ = history.append(entry(number)) }
    #expect(history.releaseRequests().count == 256)
    #expect(history.releaseRequests().isEmpty)
  }

  @Test("A history knows the latest built request, even if it is no longer kept")
  func built() {
    var history = CallHistory()
    #expect(history.built == nil)
    for number in 0..<70 { _ = history.append(entry(number)) }
    #expect(history.built == RequestSummary(request(69)))
    for number in 0..<300 {
      _ = history.append(CallEntry(time: .zero, content: .event(.failed("\(number)"))))
    }
    #expect(history.built == RequestSummary(request(69)))
    for number in 70..<80 { _ = history.append(entry(number)) }
    #expect(history.built == RequestSummary(request(78)))
  }
}

@Suite("The requests that an attempt sent")
struct SentRequestsTests {
  @Test("The record answers like a list of all sent requests")
  func model() throws {
    var generator = SeededGenerator(seed: 8)
    let url = try #require(URL(string: "https://h.example/me"))
    for _ in 0..<2_000 {
      let requests = (0..<Int.random(in: 0...9, using: &generator)).map { _ in
        var request = URLRequest(url: url)
        request.httpMethod = ["GET", "POST", "PATCH", "PUT"].randomElement(using: &generator)
        if Bool.random(using: &generator) {
          request.setValue("k", forHTTPHeaderField: "Idempotency-Key")
        }
        let chunks: RequestBody? =
          Int.random(in: 0...4, using: &generator) == 0
          ? .chunks(TestPublisher<Data, any Error>()) : nil
        return SentRequest(request, body: chunks)
      }
      let sent = SentRequests(requests)
      #expect(sent.isEmpty == requests.isEmpty)
      #expect(sent.areReplayable == requests.allSatisfy(\.isReplayable))
      var unsafe = requests.filter {
        !RetryPolicy.idempotentMethods.contains($0.method) && $0.idempotencyKey == nil
      }
      while true {
        let method = sent.unsafeMethod(besides: RetryPolicy.idempotentMethods)
        #expect(method == unsafe.first?.method)
        guard let arrived = unsafe.indices.randomElement(using: &generator) else { break }
        unsafe.remove(at: arrived).noteNeverArrived()
      }
    }
  }

  @Test("Only recent requests can be marked as never arrived; of older ones the methods are kept")
  func longAgo() throws {
    let url = try #require(URL(string: "https://h.example/me"))
    var post = URLRequest(url: url)
    post.httpMethod = "POST"
    let posts = (0..<18).map { _ in SentRequest(post, body: nil) }
    for young in [false, true] {
      var sent = SentRequests()
      for (index, request) in posts.enumerated() {
        // The last one and the sixteen before it are young.
        if index > 0 || young { request.noteNeverArrived() }
        sent.add(request)
      }
      #expect(sent.unsafeMethod(besides: RetryPolicy.idempotentMethods) == (young ? nil : .post))
    }
  }
}
