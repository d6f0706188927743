import Foundation

#if os(Linux)
  internal import CCurl

  extension CurlTransfer {
    /// Sets trust, identity and proxy, and returns libcurl's codes.
    ///
    /// libcurl verifies certificates and their names by default, and no option changes that.
    func securityCodes() -> [Int32] {
      let security = configuration.security
      var codes = proxyCodes(security.proxy)
      guard library.speaksTLS else { return codes }
      let version =
        switch security.minimumVersion {
        case .tls12: CCURL_SSLVERSION_TLS1_2
        case .tls13: CCURL_SSLVERSION_TLS1_3
        }
      codes.append(ccurl_set_long(easy, CCURLOPT_SSLVERSION, version))
      if let pins = security.pins {
        codes.append(ccurl_set_string(easy, CCURLOPT_PINNEDPUBLICKEY, pins))
      }
      if let identity = security.identity {
        codes += [
          ccurl_set_string(easy, CCURLOPT_SSLCERT, identity.certificate.path),
          ccurl_set_string(easy, CCURLOPT_SSLKEY, identity.key.path),
          // Without a passphrase, OpenSSL asks for one on the terminal, and waits.
          ccurl_set_string(easy, CCURLOPT_KEYPASSWD, identity.passphrase ?? ""),
        ]
      }
      if let path = authorityPath {
        codes += authorityCodes(path, CCURLOPT_CAINFO, CCURLOPT_CAPATH)
      }
      guard library.speaksTLSToProxies else { return codes }
      codes.append(ccurl_set_long(easy, CCURLOPT_PROXY_SSLVERSION, version))
      if let path = authorityPath {
        codes += authorityCodes(path, CCURLOPT_PROXY_CAINFO, CCURLOPT_PROXY_CAPATH)
      }
      return codes
    }

    /// The file of authorities, used without libcurl's folder of them: with a folder, libcurl parses the
    /// whole file again for each connection, which takes 35 ms on the leading thread.
    private var authorityPath: String? {
      configuration.security.authorityFile?.path ?? configuration.security.systemAuthorities
    }

    private func authorityCodes(
      _ path: String, _ file: ccurl_option, _ folder: ccurl_option
    ) -> [Int32] {
      // A libcurl that was built with a folder of authorities trusts them in addition to those in the file.
      let code = ccurl_set_string(easy, folder, nil)
      return [
        ccurl_set_string(easy, file, path),
        code == Int32(CCURLE_NOT_BUILT_IN.rawValue) ? 0 : code,
      ]
    }

    private func proxyCodes(_ policy: ProxyPolicy) -> [Int32] {
      switch policy {
      case .environment: []
      case .none: [ccurl_set_string(easy, CCURLOPT_PROXY, "")]
      case .proxy(let server):
        [
          ccurl_set_string(easy, CCURLOPT_PROXY, server.address),
          ccurl_set_string(easy, CCURLOPT_PROXYUSERNAME, server.user),
          ccurl_set_string(easy, CCURLOPT_PROXYPASSWORD, server.password),
          // If it is not set at all, libcurl uses the environment's list.
          ccurl_set_string(
            easy, CCURLOPT_NOPROXY, server.bypassedHosts.joined(separator: ",")),
        ]
      }
    }
  }
#endif
