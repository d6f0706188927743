import HTTPWire

/// What a transport shares with others: the road on which its requests reach a server.
///
/// Calls over two transports with one identity may share an exchange (``RequestCoalescer``) and
/// stored responses (``HTTPCache``). So two transports may have one identity only if the same
/// request over either reaches the same server, as the same client. A transport says so itself. Its
/// type says nothing.
///
/// | a transport | its identity |
/// | --- | --- |
/// | an object | the object, by default |
/// | a value | ``unshared``, by default |
/// | a value with a road of its own | `let identity = TransportIdentity()`, also of its copies |
/// | that forwards each request unchanged | that of the other transport |
/// | that changes each request in the same way | ``adding(_:)`` to that of the other transport |
/// | whose road is the same in each process | ``init(lasting:)``, so that a folder keeps responses |
///
/// A transport that adds a user's credential to requests is none of these, unless there is one user
/// for each identity: caches and coalescers are before the transport, and never see the credential.
public struct TransportIdentity: Hashable, Sendable {
  private enum Base: Hashable, Sendable {
    case unshared
    case object(Reference)
    case lasting
  }

  private let base: Base
  /// The description of the road, from the base on.
  private let road: ExactText

  /// The identity of a transport that shares nothing.
  ///
  /// No coalescer shares an exchange over it, and no cache stores a response.
  public static let unshared = TransportIdentity(.unshared)

  /// The identity of a road that the system's network is, without an address, a proxy, a
  /// certificate or an authority of its own.
  package static let plain = TransportIdentity(lasting: "")

  /// Makes the identity of a road that no other transport has, in this process.
  public init() {
    self.init(of: Road())
  }

  /// Makes the identity of an object.
  ///
  /// It does not retain the object.
  ///
  /// - Parameter object: The object, such as a transport.
  public init(of object: some AnyObject & Sendable) {
    self.init(.object(Reference(object: object)))
  }

  /// Makes the identity of a road that another process may have, too.
  ///
  /// - Parameter road: A description that is the same in each process, such as the address of a
  ///   proxy. Equal descriptions are one road. A cache in a folder writes it there, so it has no
  ///   secret. The empty one stands for the system's network, and is that of a `CurlTransport` and
  ///   a `URLSessionTransport` with default options.
  public init(lasting road: String) {
    self.init(.lasting, ExactText(road))
  }

  private init(_ base: Base, _ road: ExactText = ExactText("")) {
    self.base = base
    self.road = road
  }

  /// Returns the identity of a transport that changes each request in the same way, and sends it
  /// over the road of this identity.
  ///
  /// - Parameter change: A description of the change, such as `tenant acme`, without a secret.
  /// - Returns: ``unshared`` if this is ``unshared``.
  public func adding(_ change: String) -> TransportIdentity {
    base == .unshared ? self : Self(base, ExactText("\(road.text)\n\(change)"))
  }

  /// Whether the transport shares anything.
  package var isShared: Bool { base != .unshared }

  /// The description of the road if it is the same in each process; otherwise nil.
  package var lastingRoad: String? { base == .lasting ? road.text : nil }

  private final class Road: Sendable {}

  /// An object, which may end.
  private struct Reference: Hashable, Sendable {
    private let id: ObjectIdentifier
    // It is never read. It keeps the memory of the object, so that no other one gets its identity,
    // and not the object: a transport may hold the cache that stores responses for it.
    private unowned let object: any AnyObject & Sendable

    init(object: some AnyObject & Sendable) {
      id = ObjectIdentifier(object)
      self.object = object
    }

    static func == (one: Self, other: Self) -> Bool { one.id == other.id }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }
}

extension TransportIdentity: CustomStringConvertible, CustomReflectable {
  /// The kind of the identity, and the description of the road.
  public var description: String {
    switch base {
    case .unshared: "unshared"
    case .object: road.text.isEmpty ? "a road of its own" : "a road of its own:\(road.text)"
    case .lasting: road.text.isEmpty ? "the system's network" : road.text
    }
  }

  // `dump` would print what is in an object.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
