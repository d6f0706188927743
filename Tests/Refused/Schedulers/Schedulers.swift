// Schedulers and times as they are written with Combine: the third table of Docs/FromCombine.md, "The compiler says".
import Dispatch
import Foundation
import Streams

// expected-error @+1 {{'SchedulerTimeType' is not a member type of type 'S'}}
func wait<S: Scheduler>(_ delay: S.SchedulerTimeType.Stride, on scheduler: S) {}

// expected-error @+1 {{'SchedulerOptions' is not a member type of type 'S'}}
func options<S: Scheduler>(_ options: S.SchedulerOptions?, of scheduler: S) {}

// expected-error @+1 {{'SchedulerTimeType' is not a member type of type 'S'}}
func retry<S: Scheduler>(on scheduler: S, wait: @escaping (Int) -> S.SchedulerTimeType.Stride) {}
// expected-error @-1 {{'@escaping' only applies to function types}}

func waits(
  _ scheduler: some Scheduler, delay: Duration, interval: Duration,
  work: @escaping @Sendable () -> Void
) {
  // expected-error @+1 {{'schedule(after:tolerance:options:_:)' is unavailable: after: is a wait here, not a point in time: write schedule(after: delay) { … }, without now, tolerance and options}}
  scheduler.schedule(after: scheduler.now + delay, tolerance: .zero, options: nil) { work() }
  // expected-error @+1 {{'schedule(options:_:)' is unavailable: a scheduler has no options: write schedule { … }}}
  scheduler.schedule(options: nil) { work() }
  // expected-error @+1 {{'advanced(by:)' is unavailable: write now + delay to compare times; for schedule(after:) write only the delay, because it takes a wait here, not a point in time}}
  scheduler.schedule(after: scheduler.now.advanced(by: delay)) { work() }
  // expected-error @+1 {{'schedule(after:interval:tolerance:options:_:)' is unavailable: write Publishers.Timer(every: interval, on: scheduler).sink { _ in … }}}
  _ = scheduler.schedule(after: scheduler.now, interval: interval) { work() }
  // expected-error @+1 {{'minimumTolerance' is unavailable: a scheduler has no tolerance: leave it out}}
  _ = scheduler.minimumTolerance
}

func options(_ text: PassthroughSubject<String, Never>, queue: DispatchQueue) {
  // expected-error @+1 {{extra argument 'options' in call}}
  _ = text.receive(on: queue, options: nil)
  // expected-error @-1 {{'nil' requires a contextual type}}
  // expected-error @+1 {{type 'DispatchQueue' has no member 'SchedulerOptions'}}
  let options = DispatchQueue.SchedulerOptions(flags: .barrier)
  // expected-error @-1 {{cannot infer contextual base in reference to member 'barrier'}}
  // expected-error @+1 {{extra argument 'tolerance' in call}}
  _ = text.delay(for: .seconds(1), tolerance: .seconds(1), scheduler: queue)
  // expected-error @-1 {{cannot infer contextual base in reference to member 'seconds'}}
  // expected-error @+1 {{extra arguments at positions #2, #4 in call}}
  _ = text.delay(for: .seconds(1), tolerance: nil, scheduler: queue, options: nil)
  // expected-error @-1 2 {{'nil' requires a contextual type}}
}

func times(_ text: PassthroughSubject<String, Never>, queue: DispatchQueue) {
  // expected-error @+1 {{cannot convert value of type 'Double' to expected argument type 'Duration'}}
  _ = text.debounce(for: 0.3, scheduler: queue)
  // expected-error @+1 {{cannot convert value of type 'Int' to expected argument type 'Duration'}}
  _ = text.delay(for: 1, scheduler: queue)
  // expected-error @+1 {{type 'DispatchQueue' has no member 'SchedulerTimeType'}}
  _ = text.delay(for: DispatchQueue.SchedulerTimeType.Stride(1), scheduler: queue)
  // expected-error @+1 {{type 'ImmediateScheduler' has no member 'shared'}}
  _ = text.receive(on: ImmediateScheduler.shared)
  // expected-error @+1 {{argument type 'OperationQueue' does not conform to expected type 'Scheduler'}}
  _ = text.receive(on: OperationQueue.main)
  // expected-error @+1 {{argument type 'RunLoop' does not conform to expected type 'Scheduler'}}
  _ = text.receive(on: RunLoop.main)
  // expected-error @+1 {{value of type 'Publishers.MeasureInterval<PassthroughSubject<String, Never>>.Output' (aka 'Duration') has no member 'magnitude'}}
  _ = text.measureInterval(using: queue).map { $0.magnitude }
}
