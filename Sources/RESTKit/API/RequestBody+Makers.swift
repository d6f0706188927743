import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RequestBody {
  /// A value as JSON, with `application/json` for its `Content-Type`.
  ///
  /// The body is encoded on each subscription, and again for each attempt. If the value cannot be
  /// encoded, the call fails with ``RESTError`` of kind `invalidRequest`, which names the place in
  /// the value. Nothing is sent then.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - encoder: The encoder of the value; nil for the API's ``RESTAPI/encoder``.
  public static func json(
    _ value: some Encodable & Sendable, encoder: JSONEncoder? = nil
  ) -> RequestBody {
    encoded(value, by: encoder)
  }
}

extension RequestBody {
  /// A JSON value without a type of the app, with `application/json` for its `Content-Type`.
  ///
  /// ```swift
  /// api.post(endpoint: "login", body: .json(["type": "m.login.password", "attempt": 1]))
  /// ```
  ///
  /// The call fails as with `json(_:encoder:)` of a type if the value holds a number that JSON
  /// cannot express.
  ///
  /// - Parameters:
  ///   - value: The value; a literal of an object or an array.
  ///   - encoder: The encoder of the value; nil for the API's ``RESTAPI/encoder``.
  public static func json(
    _ value: JSONValue, encoder: JSONEncoder? = nil
  ) -> RequestBody {
    encoded(value, by: encoder)
  }

  private static func encoded(
    _ value: some Encodable & Sendable, by encoder: JSONEncoder?
  ) -> RequestBody {
    RequestBody(contentType: "application/json") { request, standard in
      do {
        return .data(try (encoder ?? standard ?? JSONEncoder()).encode(value))
      } catch {
        throw RESTError(unencodable: error, request: request)
      }
    }
  }
}

extension RequestBody {
  /// The fields of a form, as `application/x-www-form-urlencoded` with that `Content-Type`.
  ///
  /// ```swift
  /// api.post(endpoint: "login", body: .form(["user": name, "remember": "yes"]))
  /// ```
  ///
  /// - Parameter fields: Names and values, not encoded. A `URLQueryItem` without a value is sent
  ///   with an empty one. The fields keep their order, and a name may occur more than once.
  public static func form(_ fields: QueryItems) -> RequestBody {
    .data(FormEncoding.data(fields), contentType: formType)
  }

  /// The members of a value as the fields of a form, with the `Content-Type` of a form.
  ///
  /// ```swift
  /// api.post(endpoint: "charges", body: .form(encoding: charge))   // card[last4]=4242&amount=100
  /// ```
  ///
  /// The body is encoded on each subscription, and again for each attempt, as
  /// `QueryItems(encoding:)` says. If the value cannot be encoded, the call fails with
  /// ``RESTError`` of kind `invalidRequest`, which names the place in the value. Nothing is sent
  /// then.
  ///
  /// - Parameters:
  ///   - value: A value that is encoded as an object.
  ///   - encoder: The encoder, which says how to write dates and names; nil for the API's
  ///     ``RESTAPI/encoder``.
  ///   - naming: How names say where nested values are.
  public static func form(
    encoding value: some Encodable & Sendable, encoder: JSONEncoder? = nil,
    naming: FieldNaming = .brackets
  ) -> RequestBody {
    RequestBody(contentType: formType) { request, standard in
      let encoder = encoder ?? standard ?? JSONEncoder()
      do {
        return .data(
          FormEncoding.data(try QueryItems(encoding: value, encoder: encoder, naming: naming)))
      } catch {
        throw RESTError(unencodable: error, request: request)
      }
    }
  }

  private static let formType = "application/x-www-form-urlencoded"
}

extension RequestBody {
  /// A form with texts, bytes and files, as `multipart/form-data` with that `Content-Type`.
  ///
  /// A modifier must keep the `boundary` in that header field.
  ///
  /// Files are inspected on subscription and read while they are sent. The request's
  /// `timeoutInterval`, in seconds, then limits how long the server may be silent.
  /// ``MultipartForm`` lists the errors of a form that cannot be sent.
  ///
  /// - Parameter form: The form. An array literal of its parts works as well.
  public static func multipart(_ form: MultipartForm) -> RequestBody {
    RequestBody(contentType: form.contentType) { request, _ in try form.body(for: request) }
  }
}

extension RequestBody {
  /// Puts the body on a request, with its `Content-Type`.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - encoder: The encoder of a value that names none; nil for a plain one.
  /// - Returns: The body that must be sent outside the request, since it stays out of memory; nil
  ///   if the request holds the whole body.
  /// - Throws: `RESTError` if the body cannot be made.
  func put(on request: inout URLRequest, encoder: JSONEncoder?) throws -> RequestBody? {
    // `setValue` would silently leave out a type with a line break. This way, it is refused.
    if let contentType { request.replaceHeader("Content-Type", with: contentType) }
    let body = try made(for: RequestSummary(request), encoder: encoder)
    guard case .data(let data) = body.source else { return body }
    request.httpBody = data
    return nil
  }
}
