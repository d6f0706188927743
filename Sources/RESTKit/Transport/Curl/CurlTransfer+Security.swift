#if os(Linux)
  internal import CCurl

  extension CurlTransfer {
    /// Sets trust, identity and proxy; gives libcurl's codes.
    ///
    /// That certificates and their names are verified is libcurl's default, which nothing changes.
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
          // Without any, OpenSSL asks for it on the terminal, and waits.
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

    /// The file of authorities, whatever libcurl's folder of them has: with a folder, libcurl parses all of
    /// the file anew for each connection, 35 ms on the thread that leads.
    private var authorityPath: String? {
      configuration.security.authorityFile?.path ?? configuration.security.systemAuthorities
    }

    private func authorityCodes(
      _ path: String, _ file: ccurl_option, _ folder: ccurl_option
    ) -> [Int32] {
      // A libcurl that was built with a folder of authorities trusts them beside those in the file.
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
          // Where it is not set at all, the environment's list is used.
          ccurl_set_string(
            easy, CCURLOPT_NOPROXY, server.bypassedHosts.joined(separator: ",")),
        ]
      }
    }
  }
#endif
