import Dispatch
import Streams

// An app may compile this without any upcoming feature: .ci/apple-branches does so, too.
extension InAnAppOfToday {
  static func besideCombine(
    _ discount: Int?, _ outcome: Result<Int, any Error>
  ) -> (AnyPublisher<Int, any Error>, Duration) {
    // snippet: combine
    let prices = Publishers.Sequence([10, 20])  // in place of [10, 20].publisher
    let optional = Just(discount).compactMap { $0 }  // in place of discount.publisher
    let result = Single(outcome)  // in place of outcome.publisher

    let now: Duration = DispatchQueue.main.now  // the type selects the clock of Streams
    // end
    let all = prices.append(optional).setFailureType(to: (any Error).self).append(result)
    return (all.eraseToAnyPublisher(), now)
  }
}
