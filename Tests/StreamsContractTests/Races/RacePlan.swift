import Streams
import StreamsTesting

/// The actions of the threads of one round, drawn from a seed.
struct RacePlan: Sendable, CustomStringConvertible {
  enum Act: Sendable {
    case value, finish, fail, request, cancel, pump, join
  }

  let seed: UInt64
  /// One list a thread; the values and the end are those of the thread's own source.
  let acts: [[Act]]
  let demand: Subscribers.Demand
  let cancelsAt: Int?

  init(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    self.seed = seed
    demand = [.none, .max(1), .max(3), .unlimited].randomElement(using: &generator) ?? .none
    cancelsAt =
      Int.random(in: 0..<3, using: &generator) == 0 ? .random(in: 1...3, using: &generator) : nil
    let mayCancel = Int.random(in: 0..<2, using: &generator) == 0
    acts = (0..<2).map { thread in
      (0..<Int.random(in: 2...8, using: &generator)).map { _ in
        switch Int.random(in: 0..<12, using: &generator) {
        case 0..<5: .value
        case 5: .finish
        case 6: .fail
        case 7: .request
        case 8: mayCancel ? .cancel : .value
        case 9: .join
        default: .pump
        }
      }
    }
  }

  var description: String { "seed \(seed): \(acts), demand \(demand), cancel at \(cancelsAt ?? 0)" }
}
