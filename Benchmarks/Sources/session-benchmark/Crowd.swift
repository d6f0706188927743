import Foundation
import Measuring
import RESTKit
import Streams

/// Many calls that wait for one refresh.
///
/// `@unchecked` is correct: one thread begins the calls and completes the refresh, and all calls
/// end on that thread. A lock would be measured.
final class Crowd: @unchecked Sendable {
  private let tokens = PassthroughSubject<TokenResponse, any Error>()
  private var calls: [AnyCancellable] = []
  private var ended: [Int] = []

  /// - Parameter request: The request of each call.
  init(_ count: Int, request: AnyPublisher<RESTResponse, any Error>) throws {
    let tokens = tokens
    let session = TokenSession(
      grant: ClosureGrant { _ in tokens },
      store: MemoryTokenStore(
        Credential(accessToken: "old", refreshToken: "r", expiresAt: Date.distantPast)))
    for number in 0..<count {
      let call = session.authorize(request)
        .sink(receiveCompletion: { _ in }, receiveValue: { _ in self.ended.append(number) })
      calls.append(call)
    }
    guard ended.isEmpty else { throw Unsound("the calls did not wait for the refresh") }
  }

  /// Completes the refresh.
  ///
  /// - Returns: The seconds until the last call has its response.
  func resume() throws -> Double {
    ended.reserveCapacity(calls.count)
    let begin = threadTime()
    tokens.send(TokenResponse(accessToken: "new", lifetime: .seconds(3_600)))
    let taken = threadTime() - begin
    guard ended == Array(calls.indices) else { throw Unsound("the calls ended in another order") }
    return taken
  }
}
