import Streams

/// The violations that a body's own calls cause: those of tests that run meanwhile are not its own.
package func violations(during body: () -> Void) -> [ContractViolation] {
  let log = Recording<ContractViolation>()
  let observer = ContractViolation.observe { violation in
    if ViolationScope.log === log { log.add(violation) }
  }
  ViolationScope.$log.withValue(log, operation: body)
  observer.cancel()
  return log.elements
}

private enum ViolationScope {
  @TaskLocal static var log: Recording<ContractViolation>?
}
