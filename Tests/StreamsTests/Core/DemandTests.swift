import Streams
import StreamsFixtures
import Testing

@Suite("C-3, P18: arithmetic of demand", .leakFree)
struct DemandTests {
  typealias Demand = Subscribers.Demand

  /// Counts near every edge, and some in between.
  static let counts = [
    0, 1, 2, 3, 7, 1_000, Int.max / 2, Int.max / 2 + 1, Int.max - 2, Int.max - 1,
  ]
  static let demands = counts.map(Demand.max) + [.unlimited]

  @Test("C-3: demand adds up and saturates at unlimited", arguments: demands, demands)
  func addition(left: Demand, right: Demand) {
    let sum = left + right
    if let a = left.max, let b = right.max, case let (exact, false) = a.addingReportingOverflow(b) {
      #expect(sum == .max(exact))
    } else {
      #expect(sum == .unlimited)
    }
    #expect(sum == right + left)
    #expect(sum >= left)
    var assigned = left
    assigned += right
    #expect(assigned == sum)
    if let b = right.max {
      #expect(left + b == sum)
      assigned = left
      assigned += b
      #expect(assigned == sum)
      #expect(left - -b == sum)
    }
  }

  @Test("P18: subtraction stops at none and never changes unlimited", arguments: demands, demands)
  func subtraction(left: Demand, right: Demand) {
    let difference = left - right
    switch (left.max, right.max) {
    case (nil, _): #expect(difference == .unlimited)
    case (_, nil): #expect(difference == .none)
    case (let a?, let b?): #expect(difference == .max(max(a - b, 0)))
    }
    var assigned = left
    assigned -= right
    #expect(assigned == difference)
    if let b = right.max {
      #expect(left - b == difference)
      assigned = left
      assigned -= b
      #expect(assigned == difference)
      #expect(left + -b == difference)
    }
  }

  @Test("Demands and numbers compare in both directions; unlimited is more than any number")
  func numbers() {
    for demand in Self.demands {
      for number in Self.counts + [.max, -1, .min] {
        let isLess = demand.max.map { $0 < number } ?? false
        let isEqual = demand.max == number
        #expect((demand < number) == isLess)
        #expect((number > demand) == isLess)
        #expect((demand == number) == isEqual)
        #expect((number == demand) == isEqual)
        #expect((demand != number) == !isEqual)
        #expect((number != demand) == !isEqual)
        #expect((demand <= number) == (isLess || isEqual))
        #expect((number >= demand) == (isLess || isEqual))
        #expect((demand > number) == !(isLess || isEqual))
        #expect((number < demand) == !(isLess || isEqual))
        #expect((demand >= number) == !isLess)
        #expect((number <= demand) == !isLess)
      }
    }
  }

  @Test(
    "P18: multiplication saturates, and a factor of zero or less gives none", arguments: demands)
  func multiplication(demand: Demand) {
    for factor in [1, 2, 3, 1_000, Int.max] {
      var product = demand
      product *= factor
      #expect(product == demand * factor)
      if let count = demand.max,
        case let (exact, false) = count.multipliedReportingOverflow(by: factor)
      {
        #expect(product == .max(exact))
      } else {
        #expect(product == .unlimited)
      }
    }
    for factor in [0, -1, Int.min] { #expect(demand * factor == .none) }
  }

  @Test("P18: the extremes of Int do not trap")
  func extremes() {
    #expect(Demand.max(3) + Int.min == .none)
    #expect(Demand.max(3) - Int.min == .unlimited)
    #expect(Demand.max(3) + Int.max == .unlimited)
    #expect(Demand.max(3) - Int.max == .none)
    #expect(Demand.max(.max - 1) + Int.min == .none)
    #expect(Demand.max(.max - 1) - Int.max == .none)
    #expect(Demand.unlimited - Int.min == .unlimited)
    #expect(Demand.unlimited + Int.min == .unlimited)
    #expect(Demand.unlimited - Int.max == .unlimited)
    #expect(Demand.max(.max) == .unlimited)
  }

  @Test("Demand is ordered, with unlimited above every count", arguments: demands, demands)
  func order(left: Demand, right: Demand) {
    switch (left.max, right.max) {
    case (let a?, let b?):
      #expect((left < right) == (a < b))
      #expect((left == right) == (a == b))
      #expect((left == b) == (a == b))
      #expect((left > b) == (a > b))
      #expect((left < b) == (a < b))
      #expect((left >= b) == (a >= b))
      #expect((left <= b) == (a <= b))
    case (_?, nil): #expect(left < right)
    case (nil, let b?):
      #expect(left > right)
      #expect(!(left == b))
      #expect(left > b)
    case (nil, nil): #expect(left == right)
    }
    if left == right { #expect(left.hashValue == right.hashValue) }
  }

  @Test("Demand describes itself")
  func description() {
    #expect(Demand.unlimited.description == "unlimited")
    #expect(Demand.max(4).description == "max(4)")
    #expect(Demand.none == .max(0))
    #expect(Demand.unlimited.max == nil)
  }

  @Test("C-3: a negative count traps when the demand is made")
  func negative() async {
    await #expect(processExitsWith: .failure) { _ = Subscribers.Demand.max(-1) }
  }
}
