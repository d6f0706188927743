/// Returns the value that would follow from a failure that cannot happen.
@inlinable package func impossible<Value>(_ never: Never) -> Value {}
