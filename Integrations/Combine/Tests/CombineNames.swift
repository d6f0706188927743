// Combine's types that the tests use. Streams is not imported here: both name them alike.
#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

typealias CombineAnyPublisher<Output, Failure: Error> = AnyPublisher<Output, Failure>
typealias CombineFail<Output, Failure: Error> = Fail<Output, Failure>
typealias CombineImmediateScheduler = ImmediateScheduler
typealias CombineJust<Output> = Just<Output>
typealias CombinePassthroughSubject<Output, Failure: Error> = PassthroughSubject<Output, Failure>
typealias CombineCurrentValueSubject<Output, Failure: Error> = CurrentValueSubject<Output, Failure>

/// The numbers from one on, as a publisher of Combine.
func combineNumbers(upTo count: Int) -> Publishers.Sequence<ClosedRange<Int>, Never> {
  (1...count).publisher
}
