import Foundation

/// A request of an API as a value: where it goes, what it carries, and what its answer is.
///
/// ```swift
/// struct PetByID: Endpoint {
///   typealias Response = Pet
///   let id: Int
///   var path: ResourcePath { "pets/\(id)" }
/// }
///
/// let pet = try await api.send(PetByID(id: 7))
/// ```
///
/// An enumeration whose cases have one kind of answer can be one, too. Everything but the path has a
/// default. A property whose type does not fit is refused by the compiler, and not passed over for the
/// default; ``EndpointProperties`` says how.
public protocol Endpoint: EndpointProperties, Sendable {
  /// What the answer is: something decodable, `Data` for the body as it is, `Void` for an answer whose
  /// body does not matter, or ``RESTResponse`` for any answer as it is.
  associatedtype Response: Sendable

  /// GET, unless said otherwise.
  var method: HTTPMethod { get }
  /// Where the resource is, below the API's base URL.
  var path: ResourcePath { get }
  /// Names and values, not encoded; none, unless said otherwise.
  var query: QueryItems { get }
  /// Headers besides those that the body and the answer ask for; none, unless said otherwise.
  var headers: HTTPHeaders { get }
  /// What is sent; nothing, unless said otherwise. A ``RequestBody`` that is not optional serves as
  /// well.
  var body: RequestBody? { get }
  /// Whether it carries the token of the API's ``RESTAPI/session``, if the API has one; it does,
  /// unless said otherwise.
  var authorization: RequestAuthorization { get }
  /// Decodes the answer where it is JSON; a plain one, unless said otherwise.
  var decoder: JSONDecoder { get }

  /// Makes the answer of a response, on the thread that delivers it.
  ///
  /// A decodable answer, `Data` and `Void` need a status of 200...299.
  ///
  /// - Throws: ``RESTError``.
  func answer(_ response: RESTResponse) throws -> Response
}

extension Endpoint where Response: Decodable {
  public func answer(_ response: RESTResponse) throws -> Response {
    try response.decoded(as: Response.self, by: decoder)
  }
}

extension Endpoint where Response == Data {
  public func answer(_ response: RESTResponse) throws -> Data {
    try response.requireStatus(200...299)
    return response.data
  }
}

extension Endpoint where Response == Void {
  public func answer(_ response: RESTResponse) throws {
    try response.requireStatus(200...299)
  }
}

extension Endpoint where Response == RESTResponse {
  public func answer(_ response: RESTResponse) -> RESTResponse { response }
}
