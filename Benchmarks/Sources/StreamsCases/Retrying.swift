import Cases
import Streams

enum Retrying {
  struct Refused: Error {}

  /// Makes all attempts on a thread with a small stack, which overflows if it grows with the
  /// attempts.
  @inline(never)
  static func retry(_ attempts: Int) -> Int {
    waiting(onStackOf: 512 * 1024) {
      let sum = Sum()
      Deferred {
        sum.add(1)
        return Fail<Int, Refused>(error: Refused())
      }
      .retry(attempts - 1)
      .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      .cancel()
      return sum.value
    }
  }
}
