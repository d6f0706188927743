"""The identity provider of the integration tests: an unmodified Canaille, in memory.

Canaille itself logs users in, asks for their consent, issues, rotates and revokes tokens, and
authenticates clients by a secret or a private key. This file only adds a request that creates a
client and a user for one test.

    POST /clients  creates a client and a user. The form has the client's authentication method
                   (none, client_secret_basic or private_key_jwt) and its redirect_uri. The
                   response has the client's private key in PEM, if it has one
    GET  /alive    204

The issuer is the server's root, so the metadata is at /.well-known/oauth-authorization-server.
"""

import datetime
import json
import os
import secrets

import canaille
from canaille.app import models
from canaille.app.flask import csrf
from canaille.backends import Backend
from flask import jsonify, request
from joserfc.jwk import KeySet, RSAKey

SCOPES = ["openid", "profile"]

application = canaille.create_app(
    {
        "SECRET_KEY": secrets.token_hex(),
        "SERVER_NAME": os.environ["RESTKIT_IDENTITY_HOST"],
        "PREFERRED_URL_SCHEME": "http",
        "CANAILLE": {"DATABASE": "memory", "CAPTCHA_ENABLED": False},
        "CANAILLE_OIDC": {"REQUIRE_NONCE": False},
    }
)


@application.post("/clients")
@csrf.exempt
def clients():
    method = request.form["authentication"]
    now = datetime.datetime.now(datetime.timezone.utc)
    key = RSAKey.generate_key(2048, auto_kid=True) if method == "private_key_jwt" else None
    client = models.Client(
        client_id=secrets.token_hex(8),
        client_secret=secrets.token_urlsafe(),
        client_id_issued_at=now,
        client_name="Integration tests",
        redirect_uris=[request.form["redirect_uri"]],
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
        scope=SCOPES,
        token_endpoint_auth_method=method,
        jwks=json.dumps(KeySet([key]).as_dict(private=False)) if key else None,
    )
    Backend.instance.save(client)
    # The audience of the tokens. Without it, introspection shows the client no tokens.
    client.audience = [client]
    Backend.instance.save(client)

    name, password = secrets.token_hex(8), secrets.token_urlsafe()
    user = models.User(
        user_name=name, formatted_name=name, family_name=name, password=password,
        emails=[f"{name}@example.org"],
    )
    Backend.instance.save(user)
    return jsonify(
        id=client.client_id,
        secret=client.client_secret,
        key=key.as_pem(private=True).decode() if key else None,
        key_id=key.kid if key else None,
        username=name,
        password=password,
    )


@application.get("/alive")
def alive():
    return "", 204
