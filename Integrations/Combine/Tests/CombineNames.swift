// Combine's types that the tests use. Streams is not imported here: both name them alike.
import Dispatch
import Foundation

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
  import OpenCombineDispatch
  import OpenCombineFoundation
#endif

typealias CombineAnyPublisher<Output, Failure: Error> = AnyPublisher<Output, Failure>
typealias CombineCurrentValueSubject<Output, Failure: Error> = CurrentValueSubject<Output, Failure>
typealias CombineFail<Output, Failure: Error> = Fail<Output, Failure>
typealias CombineImmediateScheduler = ImmediateScheduler
typealias CombinePassthroughSubject<Output, Failure: Error> = PassthroughSubject<Output, Failure>

/// The numbers from one on, as a publisher of Combine.
func combineNumbers(upTo count: Int) -> Publishers.Sequence<ClosedRange<Int>, Never> {
  (1...count).publisher
}

extension Publisher {
  /// A sink of Combine, in a file where the name is that of Streams, too.
  func combineSink(
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void = { _ in },
    receiveValue: @escaping (Output) -> Void
  ) -> AnyCancellable {
    sink(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
  }
}

// Combine makes a scheduler of the queue and the loop themselves, OpenCombine of a property.
#if canImport(Combine)
  extension DispatchQueue {
    var asCombineScheduler: DispatchQueue { self }
  }

  extension RunLoop {
    var asCombineScheduler: RunLoop { self }
  }
#else
  extension DispatchQueue {
    var asCombineScheduler: OCombine { ocombine }
  }

  extension RunLoop {
    var asCombineScheduler: OCombine { ocombine }
  }
#endif
