import Cases
import OpenCombine

enum Retrying {
  struct Refused: Error {}

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
