import Foundation
import Testing

@testable import HTTPTransport
@testable import HTTPWire
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The keys of CFNetwork, which are in no header of Foundation's.
private func streamInfo(_ domain: Int, _ code: Int) -> [String: any Sendable] {
  ["_kCFStreamErrorDomainKey": domain, "_kCFStreamErrorCodeKey": code]
}

@Suite("The meaning of the codes that URLSession has on Apple's systems only")
struct AppleFaultTests {
  // The codes of TLS by name: their numbers are not the same on Linux.
  private static let failed = NSURLErrorSecureConnectionFailed
  private static let badDate = NSURLErrorServerCertificateHasBadDate
  private static let untrusted = NSURLErrorServerCertificateUntrusted
  private static let unknownRoot = NSURLErrorServerCertificateHasUnknownRoot
  private static let notYetValid = NSURLErrorServerCertificateNotYetValid
  private static let rejected = NSURLErrorClientCertificateRejected
  private static let required = NSURLErrorClientCertificateRequired

  private func fault(
    _ code: Int, _ info: [String: Any] = [:], behind status: Int? = nil
  ) -> TransportError {
    let words = [NSLocalizedDescriptionKey: "words"] as [String: Any]
    return URLSessionFault(
      NSError(
        domain: NSURLErrorDomain, code: code, userInfo: words.merging(info) { $1 })
    ).fault(behind: status)
  }

  @Test("The codes have the numbers of Apple's NSURLError.h, but on Linux not those of TLS")
  func numbers() {
    let codes = [
      NSURLErrorAppTransportSecurityRequiresSecureConnection, NSURLErrorRequestBodyStreamExhausted,
      NSURLErrorDataNotAllowed, NSURLErrorCallIsActive, NSURLErrorInternationalRoamingOff,
      NSURLErrorNetworkConnectionLost, NSURLErrorCannotConnectToHost,
    ]
    #expect(codes == [-1022, -1021, -1020, -1019, -1018, -1005, -1004])
    #if !canImport(FoundationNetworking)
      let codesOfTLS = [
        NSURLErrorSecureConnectionFailed, NSURLErrorServerCertificateHasBadDate,
        NSURLErrorServerCertificateUntrusted, NSURLErrorServerCertificateHasUnknownRoot,
        NSURLErrorServerCertificateNotYetValid, NSURLErrorClientCertificateRejected,
        NSURLErrorClientCertificateRequired,
      ]
      // Foundation on Linux begins with -1201.
      #expect(codesOfTLS == [-1200, -1201, -1202, -1203, -1204, -1205, -1206])
    #endif
  }

  @Test(
    "What the system itself refuses was not sent, and its text says what to wait for",
    arguments: [
      (-1018, "roaming is off; wait for another network, or have the user allow it"),
      (-1019, "a phone call uses the network; wait for its end"),
      (
        -1020,
        "mobile data is not allowed; wait for another network, or have the user allow it"
      ),
    ])
  func refusedBySystem(code: Int, hint: String) {
    let fault = fault(code)
    #expect(fault.kind == .connectFailed)
    #expect(!fault.mayHaveBeenProcessed)
    #expect(fault.detail == hint)
  }

  @Test("App Transport Security refuses before anything is sent, and names both remedies")
  func appTransportSecurity() {
    let fault = fault(-1022)
    #expect(fault.kind == .tlsFailed(.required))
    #expect(!fault.mayHaveBeenProcessed)
    #expect(fault.detail == "words")
    #expect(fault.statusCode == nil)
    let reason = TransportError.TLSReason.required
    #expect(
      reason.explanation == "App Transport Security allows no connection without TLS to this host")
    #expect(fault.description.hasPrefix(reason.explanation))
    #expect(fault.description.hasSuffix(reason.remedy))
    #expect(reason.remedy.hasPrefix("Use https://"))
    #expect(reason.remedy.contains("NSAppTransportSecurity"))
    #expect(reason.remedy.contains("Info.plist"))
    #expect(TransportError.TLSReason.allCases.contains(reason))
  }

  @Test("A body that cannot be sent again is a failure to send, and the server may have seen some")
  func exhausted() {
    let fault = fault(-1021)
    #expect(fault.kind == .sendFailed)
    #expect(fault.mayHaveBeenProcessed)
  }

  @Test(
    "A lost connection was reset, unless the stream says that it was closed",
    arguments: [
      ([:], nil, .connectionReset), ([:], 200, .connectionReset),
      (streamInfo(1, 54), nil, .connectionReset), (streamInfo(1, 57), 200, .connectionReset),
      (streamInfo(4, -4), nil, .connectionClosedBeforeResponse), (streamInfo(4, -4), 200, .bodyCut),
      (streamInfo(4, -1), nil, .connectionReset), (streamInfo(1, -4), nil, .connectionReset),
    ] as [([String: any Sendable], Int?, TransportError.Kind)])
  func lost(info: [String: any Sendable], status: Int?, kind: TransportError.Kind) {
    let fault = fault(-1005, info, behind: status)
    #expect(fault.kind == kind)
    #expect(fault.mayHaveBeenProcessed)
    #expect(fault.statusCode == status)
  }

  @Test(
    "A failed connection was refused, unless the stream names another error of the system",
    arguments: [
      ([:], .connectionRefused), (streamInfo(1, Int(ECONNREFUSED)), .connectionRefused),
      (streamInfo(1, Int(ENETUNREACH)), .connectFailed),
      (streamInfo(1, Int(EHOSTUNREACH)), .connectFailed), (streamInfo(4, -4), .connectionRefused),
      (streamInfo(12, 8), .connectionRefused),
    ] as [([String: any Sendable], TransportError.Kind)])
  func notConnected(info: [String: any Sendable], kind: TransportError.Kind) {
    let fault = fault(-1004, info)
    #expect(fault.kind == kind)
    #expect(!fault.mayHaveBeenProcessed)
  }

  @Test(
    "The stream's code tells what is wrong with a certificate, and otherwise the task's",
    arguments: [
      (Self.badDate, [:], .certificateExpired),
      (Self.badDate, streamInfo(3, -9814), .certificateExpired),
      (Self.badDate, streamInfo(3, -9815), .certificateNotYetValid),
      (Self.untrusted, [:], .untrustedIssuer), (Self.untrusted, streamInfo(3, -9843), .wrongHost),
      (Self.untrusted, streamInfo(3, -9807), .untrustedIssuer),
      (Self.untrusted, streamInfo(3, -9812), .untrustedIssuer),
      (Self.untrusted, streamInfo(3, -9813), .untrustedIssuer),
      (Self.untrusted, streamInfo(3, -9808), .certificateRejected),
      (Self.untrusted, streamInfo(3, -9814), .certificateExpired),
      (Self.unknownRoot, [:], .untrustedIssuer), (Self.notYetValid, [:], .certificateNotYetValid),
      (Self.rejected, [:], .clientCertificateRefused),
      (Self.required, [:], .clientCertificateRefused),
      (Self.failed, [:], .handshake), (Self.failed, streamInfo(3, -9836), .protocolVersion),
      (Self.failed, streamInfo(3, -9825), .clientCertificateRefused),
      (Self.failed, streamInfo(3, -9829), .clientCertificateRefused),
      (Self.failed, streamInfo(3, -9831), .clientCertificateRefused),
      // Neighbors that are no alert about a certificate, and codes of another domain.
      (Self.failed, streamInfo(3, -9824), .handshake),
      (Self.failed, streamInfo(3, -9830), .handshake),
      (Self.untrusted, streamInfo(1, -9843), .untrustedIssuer),
      (Self.untrusted, streamInfo(3, -1), .untrustedIssuer),
    ] as [(Int, [String: any Sendable], TransportError.TLSReason)])
  func certificates(code: Int, info: [String: any Sendable], reason: TransportError.TLSReason) {
    let fault = fault(code, info)
    #expect(fault.kind == .tlsFailed(reason))
    #expect(!fault.mayHaveBeenProcessed)
  }

  @Test("A stream's code about a certificate does not change what is no failure of TLS")
  func otherCodes() {
    let info = streamInfo(3, -9843)
    #expect(fault(-1001, info).kind == .timedOut)
    #expect(fault(-999, info).kind == .other(code: -999))
    #expect(fault(-1022, info).kind == .tlsFailed(.required))
  }

  @Test("Behind a response's head, each code means that the server has seen the request")
  func behindHead() {
    for code in [-1022, -1018, -1004, Self.untrusted] {
      #expect(fault(code, behind: 200).mayHaveBeenProcessed, "\(code)")
    }
  }
}

@Suite("The failure of the stream under a task", .timeLimit(.minutes(10)))
struct CFStreamFaultTests {
  /// An error under itself.
  ///
  /// `@unchecked` is correct: it adds no state to `NSError`, whose own conformance a subclass must
  /// repeat.
  private final class CyclicError: NSError, @unchecked Sendable {
    override var userInfo: [String: Any] { [NSUnderlyingErrorKey: self] }
  }

  private func error(
    _ domain: String = NSURLErrorDomain, _ code: Int = -1005, _ info: [String: Any] = [:],
    above other: NSError? = nil
  ) -> NSError {
    var info = info
    info[NSUnderlyingErrorKey] = other
    return NSError(domain: domain, code: code, userInfo: info)
  }

  @Test("The keys of the error itself come before those of the errors under it")
  func own() {
    let under = error("kCFErrorDomainCFNetwork", -1005, streamInfo(3, -9843))
    #expect(CFStreamFault(in: under) == CFStreamFault(.tls, -9843))
    #expect(
      CFStreamFault(in: error(NSURLErrorDomain, -1005, streamInfo(1, 54), above: under))
        == CFStreamFault(.posix, 54))
    #expect(CFStreamFault(in: error(above: under)) == CFStreamFault(.tls, -9843))
  }

  @Test("An error of the system without keys is one of its calls")
  func posix() {
    let under = error(NSPOSIXErrorDomain, Int(ECONNRESET))
    #expect(CFStreamFault(in: error(above: under)) == CFStreamFault(.posix, Int(ECONNRESET)))
    #expect(CFStreamFault(in: error()) == nil)
  }

  @Test("Keys that are incomplete, of another type or of another domain are not read")
  func unreadable() {
    let unread: [[String: Any]] = [
      ["_kCFStreamErrorDomainKey": 1], ["_kCFStreamErrorCodeKey": 54], streamInfo(12, 8),
      ["_kCFStreamErrorDomainKey": "1", "_kCFStreamErrorCodeKey": "54"],
    ]
    for info in unread {
      #expect(CFStreamFault(in: error(NSURLErrorDomain, -1005, info)) == nil)
      let under = error("kCFErrorDomainCFNetwork", -1005, streamInfo(4, -4))
      #expect(
        CFStreamFault(in: error(NSURLErrorDomain, -1005, info, above: under))
          == CFStreamFault(.http, -4))
    }
  }

  @Test("Errors are searched to the third one under the task's, and not further")
  func depth() {
    var nested = error("a", 1, streamInfo(1, 54))
    for _ in 1...3 { nested = error("b", 2, above: nested) }
    #expect(CFStreamFault(in: nested) == CFStreamFault(.posix, 54))
    #expect(CFStreamFault(in: error("c", 3, above: nested)) == nil)
  }

  @Test("An error under itself ends the search")
  func cycle() {
    let cycle = CyclicError(domain: NSURLErrorDomain, code: -1005)
    #expect(CFStreamFault(in: cycle) == nil)
    #expect(URLSessionFault(cycle).fault().kind == .connectionReset)
  }

  @Test("Only an error of a system call says whether the server refused")
  func refusal() {
    #expect(CFStreamFault(.posix, Int(ECONNREFUSED)).isRefusal == true)
    #expect(CFStreamFault(.posix, Int(ETIMEDOUT)).isRefusal == false)
    #expect(CFStreamFault(.tls, Int(ECONNREFUSED)).isRefusal == nil)
    #expect(CFStreamFault(.http, -4).isRefusal == nil)
  }
}
