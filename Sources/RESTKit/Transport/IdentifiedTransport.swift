/// A transport that is a value, and stands for an object that all copies of it share.
protocol IdentifiedTransport: Transport {
  /// That object.
  var identity: ObjectIdentifier { get }
}
