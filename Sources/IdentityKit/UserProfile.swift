import Foundation
import RESTKit

extension User {
  /// The data of a person in an identity API.
  ///
  /// Only the names are always present.
  public struct Profile: Sendable, Hashable {
    public var firstName: String
    public var lastName: String
    public var preferredName: String?
    public var email: String?
    public var dateOfBirth: Date?
    public var gender: String?
    public var phoneNumber: String?
    public var address: Address?
    public var isVerified: Bool?
    public var username: String?
    public var isTermsAccepted: Bool?
    public var termsAcceptedDate: Date?
    public var createdDate: Date?

    public init(
      firstName: String, lastName: String, preferredName: String? = nil, email: String? = nil,
      dateOfBirth: Date? = nil, gender: String? = nil, phoneNumber: String? = nil,
      address: Address? = nil, isVerified: Bool? = nil, username: String? = nil,
      isTermsAccepted: Bool? = nil, termsAcceptedDate: Date? = nil, createdDate: Date? = nil
    ) {
      self.firstName = firstName
      self.lastName = lastName
      self.preferredName = preferredName
      self.email = email
      self.dateOfBirth = dateOfBirth
      self.gender = gender
      self.phoneNumber = phoneNumber
      self.address = address
      self.isVerified = isVerified
      self.username = username
      self.isTermsAccepted = isTermsAccepted
      self.termsAcceptedDate = termsAcceptedDate
      self.createdDate = createdDate
    }
  }

  /// The address of a person.
  public struct Address: Sendable, Hashable, Decodable {
    public var line1: String?
    public var line2: String?
    public var city: String?
    public var state: String?
    public var zip: String?
    public var countryCode: String?

    public init(
      line1: String? = nil, line2: String? = nil, city: String? = nil, state: String? = nil,
      zip: String? = nil, countryCode: String? = nil
    ) {
      self.line1 = line1
      self.line2 = line2
      self.city = city
      self.state = state
      self.zip = zip
      self.countryCode = countryCode
    }

    private enum CodingKeys: String, CodingKey {
      case line1, line2, city, countryCode
      case state = "stateOrProvince"
      case zip = "zipCode"
    }
  }
}

extension User.Profile: Decodable {
  private enum AccountKeys: String, CodingKey {
    case person = "self"
    case isVerified, username, isTermsAccepted, termsAcceptedDate, createdDate
  }

  private enum PersonKeys: String, CodingKey {
    case firstName, lastName, preferredName, email, dateOfBirth, gender, phoneNumber, address
  }

  /// Decodes `{"self": {the person}, the account}`.
  public init(from decoder: any Decoder) throws {
    let account = try decoder.container(keyedBy: AccountKeys.self)
    isVerified = try account.decodeIfPresent(Bool.self, forKey: .isVerified)
    username = try account.decodeIfPresent(String.self, forKey: .username)
    isTermsAccepted = try account.decodeIfPresent(Bool.self, forKey: .isTermsAccepted)
    termsAcceptedDate = try account.decodeIfPresent(Date.self, forKey: .termsAcceptedDate)
    createdDate = try account.decodeIfPresent(Date.self, forKey: .createdDate)

    let person = try account.nestedContainer(keyedBy: PersonKeys.self, forKey: .person)
    firstName = try person.decode(String.self, forKey: .firstName)
    lastName = try person.decode(String.self, forKey: .lastName)
    preferredName = try person.decodeIfPresent(String.self, forKey: .preferredName)
    email = try person.decodeIfPresent(String.self, forKey: .email)
    dateOfBirth = try person.decodeIfPresent(Date.self, forKey: .dateOfBirth)
    gender = try person.decodeIfPresent(String.self, forKey: .gender)
    phoneNumber = try person.decodeIfPresent(String.self, forKey: .phoneNumber)
    address = try person.decodeIfPresent(User.Address.self, forKey: .address)
  }
}

extension User.Profile: LibraryResponse {
  package static var remedy: String {
    "Correct the server's response, or decode a profile of your own."
  }
}

/// The namespace of an identity API's data about a person.
public enum User {}
