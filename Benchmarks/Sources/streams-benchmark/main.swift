// What a value costs on its way from a sequence through map, filter and map to a sink, beside the
// same work in a loop written by hand; and what a whole subscription costs.
//
// swift run -c release --package-path Benchmarks streams-benchmark
import Streams

let count = 2_000_000

@inline(never)
func loopByHand(_ numbers: Range<Int>) -> Int {
  var sum = 0
  for number in numbers {
    let tripled = number &* 3
    if tripled & 1 == 0 { sum &+= tripled &+ 1 }
  }
  return sum
}

@inline(never)
func plain(_ numbers: Range<Int>) -> Int {
  let sum = Sum()
  numbers.publisher
    .map { $0 &* 3 }
    .filter { $0 & 1 == 0 }
    .map { $0 &+ 1 }
    .sink { sum.value &+= $0 }
    .cancel()
  return sum.value
}

@inline(never)
func erased(_ numbers: Range<Int>) -> Int {
  let sum = Sum()
  numbers.publisher.eraseToAnyPublisher()
    .map { $0 &* 3 }.eraseToAnyPublisher()
    .filter { $0 & 1 == 0 }.eraseToAnyPublisher()
    .map { $0 &+ 1 }.eraseToAnyPublisher()
    .sink { sum.value &+= $0 }
    .cancel()
  return sum.value
}

@inline(never)
func subscriptions(_ numbers: Range<Int>) -> Int {
  let sum = Sum()
  for number in numbers {
    Just(number).map { $0 &* 3 }.filter { _ in true }.map { $0 &+ 1 }
      .sink { sum.value &+= $0 }
      .cancel()
  }
  return sum.value
}

report(
  measure("loop by hand", per: "value", loopByHand),
  measure("map·filter·map, plain", per: "value", plain),
  measure("map·filter·map, erased after each of 4 stages", per: "value", erased),
  measure("4 stages over Just: subscribe to end", per: "subscription", subscriptions))
