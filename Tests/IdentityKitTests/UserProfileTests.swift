import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

@testable import IdentityKit

@Suite("Decoding of a profile")
struct UserProfileTests {
  private func fetch(_ body: String) async throws -> User.Profile {
    let stubs = StubTransport(StubAPIResponse(request: Identity.me, result: .json(body)))
    return try await IdentityService(stubs).fetchProfile.value.get()
  }

  @Test("Every field and date is decoded, with and without the result envelope")
  func everyField() async throws {
    #expect(try await fetch(Identity.profile) == Identity.ada)
    let wrapped = #"{"status": "ok", "result": \#(Identity.profile), "errors": []}"#
    #expect(try await fetch(wrapped) == Identity.ada)
  }

  @Test("Each field has its own property")
  func accessors() async throws {
    let profile = try await fetch(Identity.profile)
    #expect(profile.firstName == "Ada")
    #expect(profile.lastName == "Lovelace")
    #expect(profile.preferredName == "Countess")
    #expect(profile.email == "ada@example.com")
    #expect(profile.dateOfBirth?.timeIntervalSince1970 == -4_861_728_000)
    #expect(profile.gender == "female")
    #expect(profile.phoneNumber == "+44 20 7946 0000")
    #expect(profile.address?.line1 == "12 St James's Square")
    #expect(profile.address?.line2 == "Flat 1")
    #expect(profile.address?.city == "London")
    #expect(profile.address?.state == "Greater London")
    #expect(profile.address?.zip == "SW1Y 4JH")
    #expect(profile.address?.countryCode == "GB")
    #expect(profile.isVerified == true)
    #expect(profile.username == "ada")
    #expect(profile.isTermsAccepted == false)
    #expect(profile.createdDate?.timeIntervalSince1970 == 1_770_091_506)
  }

  @Test("Only the names are required")
  func namesOnly() async throws {
    let profile = try await fetch(#"{"self": {"firstName": "Ada", "lastName": "L"}}"#)
    #expect(profile == User.Profile(firstName: "Ada", lastName: "L"))
  }

  @Test("An optional field may be null")
  func nulls() async throws {
    let profile = try await fetch(
      """
      {"self": {"firstName": "Ada", "lastName": "L", "preferredName": null, "email": null,
        "dateOfBirth": null, "gender": null, "phoneNumber": null, "address": null},
       "isVerified": null, "username": null, "isTermsAccepted": null, "termsAcceptedDate": null,
       "createdDate": null}
      """)
    #expect(profile == User.Profile(firstName: "Ada", lastName: "L"))
  }

  @Test("An address may be empty, and unknown fields are no error")
  func emptyAddress() async throws {
    let profile = try await fetch(
      #"{"x": [1], "self": {"firstName": "A", "lastName": "L", "y": {}, "address": {"z": 1}}}"#)
    #expect(profile == User.Profile(firstName: "A", lastName: "L", address: User.Address()))
  }

  @Test(
    "A trailing comma is accepted in each object",
    arguments: [
      #"{"self": {"firstName": "Ada", "lastName": "L"},}"#,
      #"{"self": {"firstName": "Ada", "lastName": "L",}}"#,
      #"{"result": {"self": {"firstName": "Ada", "lastName": "L",},},}"#,
    ])
  func trailingComma(body: String) async throws {
    #expect(try await fetch(body) == User.Profile(firstName: "Ada", lastName: "L"))
  }

  @Test("A date may have zero to seven fractional digits", arguments: 0...7)
  func fractionalDigits(count: Int) async throws {
    let fraction = count == 0 ? "" : "." + "1234567".prefix(count)
    let profile = try await fetch(
      """
      {"self": {"firstName": "A", "lastName": "L", "dateOfBirth": "1999-12-31T23:59:59\(fraction)"},
       "termsAcceptedDate": "2026-02-03T04:05:06\(fraction)",
       "createdDate": "2026-02-03T04:05:06\(fraction)"}
      """)
    let part = try #require(Double("0" + (fraction.isEmpty ? ".0" : fraction)))
    let terms = try #require(profile.termsAcceptedDate?.timeIntervalSinceReferenceDate)
    let birth = try #require(profile.dateOfBirth?.timeIntervalSinceReferenceDate)
    #expect(abs(terms - (791_784_306 + part)) < 1e-6)
    #expect(abs(birth - (-31_622_401 + part)) < 1e-6)
    #expect(profile.createdDate == profile.termsAcceptedDate)
  }

  @Test(
    "A date of another form is an error with its path, and its text is not shown",
    arguments: [
      "2026-02-03", "2026-02-03 04:05:06", "2026-02-30T00:00:00", "2026-02-03T04:05:06.1234567890",
      "2026-02-03T04:05:06+01", "canary", "",
    ])
  func badDate(text: String) async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: Identity.me,
        result: .json(
          #"{"self": {"firstName": "A", "lastName": "L"}, "createdDate": "\#(text)"}"#)))
    let error = try await IdentityService(stubs).profileError()
    guard case .malformedResponse(let cause) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(cause.kind == .decoding)
    #expect(cause.reason.contains(#""createdDate" is no timestamp"#))
    #expect(!"\(error)".contains("canary"))
  }

  @Test(
    "A missing field or one of another type is a decoding error with its coding path",
    arguments: [
      (#"{}"#, #""self" is missing"#),
      (#"{"result": {}}"#, #""self" is missing"#),
      (#"{"self": {"lastName": "L"}}"#, #""self.firstName" is missing"#),
      (#"{"self": {"firstName": "A"}}"#, #""self.lastName" is missing"#),
      (#"{"self": {"firstName": null, "lastName": "L"}}"#, #""self.firstName" is null"#),
      (
        #"{"self": {"firstName": 1, "lastName": "L"}}"#,
        #""self.firstName" is a number and must be of type String"#
      ),
      (
        #"{"self": {"firstName": "A", "lastName": "L", "address": {"zipCode": 1}}}"#,
        #""self.address.zipCode" is a number and must be of type String"#
      ),
      (
        #"{"self": {"firstName": "A", "lastName": "L"}, "isVerified": "yes"}"#,
        #""isVerified" is a string and must be of type Bool"#
      ),
      (#"[]"#, "the top-level value is an array and must be an object"),
      (#""text""#, "the top-level value is a string and must be an object"),
    ])
  func otherShape(body: String, text: String) async throws {
    let stubs = StubTransport(StubAPIResponse(request: Identity.me, result: .json(body)))
    let error = try await IdentityService(stubs).profileError()
    guard case .malformedResponse(let cause) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(cause.kind == .decoding)
    #expect(cause.underlyingError is DecodingError)
    #expect(cause.response?.statusCode == 200)
    #expect("\(error)".hasPrefix("No profile. GET https://id.example.com/me: the response does"))
    #expect("\(error)".contains("does not decode as User.Profile: "))
    #expect("\(error)".contains(text), "\(error)")
  }
}
