import Testing

@testable import RESTKit

@Suite("SEC-11: the one list of names of secrets")
struct SecretNamesTests {
  @Test(
    "A name with a word or an end of the list is a secret's in any spelling",
    arguments: [
      "HMACValue", "token", "accessToken", "ACCESS_TOKEN", "accesstoken", "id_token_hint",
      "refresh", "access",
      "password", "userPassword", "passwd", "pwd", "user_pwd", "passphrase", "passcode", "pass",
      "pin", "user-pin", "otp", "otp_code", "totp", "key", "client_key", "apikey", "APIKey",
      "X-Api-Key", "privateKey", "subscriptionKey", "licensekey", "code", "device_code",
      "user_code", "authCode", "backup_code", "code_verifier", "codeverifier", "oauth_verifier",
      "auth", "oauth", "basicAuth", "authorization", "credential", "credentials", "signature",
      "X-Amz-Signature", "X-Hub-Signature-256", "sig", "hmac", "bodyHMAC", "ticket",
      "service_ticket", "session", "laravel_session", "session_id", "sessionid", "PHPSESSID",
      "JSESSIONID", "connect.sid", "cookie", "jwt", "client_assertion", "SAMLResponse",
      "saml_response", "csrf", "X-XSRF-TOKEN", "token2", "client_key_1", "secret", "clientSecret",
      "cvv", "api_keys", "backupCodes", "tokens", "cookies", "secrets", "passwords",
    ])
  func secret(name: String) {
    #expect(SecretNames.standard.contains(name))
    #expect(SecretNames.standard.contains(name.uppercased()) || name.contains { $0.isUppercase })
  }

  @Test(
    "A name that only contains a word of the list stays visible",
    arguments: [
      "", "7", "-", "HTTPStatusCode", "status_code", "statusCode", "statuscode", "http_status_code",
      "error_code",
      "country_code", "postal_code", "zipCode", "postcode", "currency_code", "barcode", "unicode",
      "secretary", "secretariat", "session_start", "sessionStart", "sessions", "session_count",
      "token_type", "tokentype", "token_endpoint", "expires_in", "accessTokenExpiresAt",
      "token_endpoint_auth_methods_supported", "id_token_signing_alg", "tokenizer", "author",
      "authority", "monkey", "turkey", "primary_key", "cache_key", "public_key", "keyboard",
      "keys", "codes", "code_challenge", "encoded", "refresh_rate", "access_level", "passport",
      "password_changed_at", "pinned", "spin", "compass", "assign", "inside", "obsession",
      "ticket_id", "page", "user", "scope", "state", "grant_type", "client_id", "name",
    ])
  func visible(name: String) {
    #expect(!SecretNames.standard.contains(name))
  }

  @Test(
    "A header field with a credential is a secret",
    arguments: [
      "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "X-Auth-Token",
      "Api-Key", "X-Access-Token", "X-Session-Id", "Ocp-Apim-Subscription-Key", "X-Functions-Key",
      "PRIVATE-TOKEN", "X-Amz-Security-Token", "X-Goog-Api-Key", "X-CSRF-Token", "DPoP", "Refresh",
      "Signature", "Authentication-Info", "X-Plex-Token", "x-auth", "Secret",
    ])
  func secretField(name: String) {
    #expect(SecretNames.standard.contains(field: name))
    #expect(SecretNames.standard.contains(field: name.lowercased()))
  }

  @Test(
    "A header field that differs in each request and names nobody is none",
    arguments: [
      "Idempotency-Key", "X-Request-ID", "X-Correlation-Id", "traceparent", "tracestate", "ETag",
      "If-None-Match", "Sec-WebSocket-Key", "Sec-WebSocket-Accept", "Content-Type",
      "Content-Length", "Content-Encoding", "Accept", "Accept-Encoding", "Range", "Vary", "Date",
      "Age", "Host", "User-Agent", "Origin", "Referer", "Location", "Link", "Last-Event-ID",
      "Access-Control-Allow-Credentials", "Access-Control-Allow-Headers", "Surrogate-Key",
      "X-Cache-Key", "Retry-After", "Cache-Control",
    ])
  func plainField(name: String) {
    #expect(!SecretNames.standard.contains(field: name))
    #expect(!SecretNames.standard.contains(field: name.lowercased()))
  }

  @Test("A plural says that its texts are secrets, and a list of sessions says nothing")
  func plurals() {
    func meaning(_ name: String) -> SecretNames.Meaning { SecretNames.standard.meaning(of: name) }
    #expect(meaning("tokens") == .secrets)
    #expect(meaning("api_keys") == .secrets)
    #expect(meaning("secrets") == .secret)
    #expect(meaning("sessions") == .plain)
    #expect(meaning("status_codes") == .plain)
  }

  @Test("An app adds names, and shows others, in any spelling")
  func adding() {
    let names = SecretNames(adding: ["X-Tenant"], showing: ["promo_code", "x-tenant-token"])
    #expect(names.contains("x_tenant"))
    #expect(names.contains(field: "x-TENANT"))
    #expect(names.contains("token"))
    #expect(!names.contains("promoCode"))
    #expect(!names.contains("X-Tenant-Token"))
    #expect(!SecretNames.standard.contains("x_tenant"))
    #expect(names == SecretNames(adding: ["xTenant"], showing: ["xTenantToken", "PROMO_CODE"]))
  }

  @Test("A name with letters beyond ASCII is compared without regard to their case")
  func otherLetters() {
    #expect(SecretNames(adding: ["SCHLÜSSEL"]).contains("schlüssel"))
    #expect(SecretNames.standard.contains("schlüssel_token"))
  }

  @Test("A name's length costs no more than in proportion")
  func long() {
    let name = String(repeating: "toke_secre-Passwor", count: 20_000)
    #expect(!SecretNames.standard.contains(name))
  }
}
