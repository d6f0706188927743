// Makes the calls that `.ci/way` traces and counts.
//
// way trace CALL         makes one call, whose functions the script lists
// way count CALL TIMES   makes a call many times, whose instructions the script counts
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting

/// The work whose functions and instructions count: callgrind finds it by the name of its symbol,
/// and of its specialized copies.
@_silgen_name("way_traced")
@inline(never)
func traced(_ work: () throws -> Void) rethrows { try work() }

/// A call that did not go as it should.
struct UnsoundError: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}

/// Returns the values of a publisher that delivers all of them at once, or as virtual time passes.
func outcome<Value: Sendable>(
  of publisher: AnyPublisher<Value, any Error>, on scheduler: TestScheduler? = nil
) throws -> [Value] {
  let subscriber = TestSubscriber<Value, any Error>()
  publisher.receive(subscriber: subscriber)
  scheduler?.run()
  if let failure = subscriber.failure { throw failure }
  return subscriber.values
}

let calls: [String: @Sendable () throws -> Void] = [
  "authorized": authorizedCall, "cached": cachedCall, "retried": retriedCall,
  "reconnecting": reconnectingStream,
]

switch CommandLine.arguments.dropFirst().first {
case "trace":
  guard let call = CommandLine.arguments.last.flatMap({ calls[$0] }) else {
    throw UnsoundError("no such call; there are \(calls.keys.sorted())")
  }
  try call()
case "count":
  let arguments = CommandLine.arguments
  guard arguments.count == 4, let times = Int(arguments[3]) else {
    throw UnsoundError("usage: way count CALL TIMES")
  }
  let call = try repeatedCall(arguments[2])
  for _ in 0..<50 { call() }
  traced { for _ in 0..<times { call() } }
default: throw UnsoundError("usage: way trace CALL | way count CALL TIMES")
}
