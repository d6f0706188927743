"""The OAuth 2 server of the integration tests: django-oauth-toolkit, as it is installed.

All that issues, rotates, refuses and revokes tokens, and that guards /me and /write, is its own.
Here is what makes a client and a user for one test, and what tells which token requests there were.

    POST /clients  makes a client and a user; the form says the client's grant and type (public or
                   confidential), and how long its tokens live, in seconds: the first ones, and
                   those that a refresh brings
    GET  /me       needs a token with the scope read, and says whose it is
    GET  /slow     the same, after 25 ms
    GET  /write    needs a token with the scope write
    GET  /log      the token requests of ?client=ID, in order
"""

import base64
import os
import secrets
import threading
import time
import urllib.parse

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application


def lifetime(request):
    """How long a token is valid: a client's name says it."""
    first, refreshed = request.client.name.split()
    return int(refreshed if request.grant_type == "refresh_token" else first)


settings.configure(
    SECRET_KEY=secrets.token_hex(),
    ALLOWED_HOSTS=["127.0.0.1", "localhost"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    MIDDLEWARE=[f"{__name__}.log_token_requests"],
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "oauth2_provider"],
    # Secrets live as long as a test; a slow hash would be most of each request.
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": os.environ["RESTKIT_OAUTH_DATABASE"],
            "CONN_MAX_AGE": None,
            # Else two that read before they write make one of them fail.
            "OPTIONS": {
                "timeout": 30,
                "transaction_mode": "IMMEDIATE",
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;",
            },
        }
    },
    OAUTH2_PROVIDER={
        "SCOPES": {"read": "read", "write": "write"},
        "DEFAULT_SCOPES": ["read"],
        "ROTATE_REFRESH_TOKEN": True,
        # A refresh token that comes twice ends the session (RFC 9700 §4.14.2), but for so many
        # seconds after the first time.
        "REFRESH_TOKEN_REUSE_PROTECTION": True,
        "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": int(os.environ["RESTKIT_OAUTH_GRACE_SECONDS"]),
        "EXTRA_SERVER_KWARGS": {"token_expires_in": lifetime},
    },
)
django.setup()

from django.contrib.auth.models import User
from django.core.management import call_command
from django.http import HttpResponse, JsonResponse
from django.urls import include, path
from django.views.decorators.csrf import csrf_exempt
from oauth2_provider.decorators import protected_resource
from oauth2_provider.models import Application

log = []
log_lock = threading.Lock()


def client_of(request):
    """Who asks, as the header or the form says it."""
    scheme, _, text = request.headers.get("Authorization", "").partition(" ")
    if scheme == "Basic":
        name = base64.b64decode(text).decode().partition(":")[0]
        return urllib.parse.unquote_plus(name)
    return request.POST.get("client_id")


def log_token_requests(get_response):
    def middleware(request):
        response = get_response(request)
        if request.path == "/o/token/":
            entry = {
                "client": client_of(request),
                "grant": request.POST.get("grant_type"),
                "status": response.status_code,
            }
            with log_lock:
                log.append(entry)
        return response

    return middleware


@csrf_exempt
def clients(request):
    secret, password = secrets.token_urlsafe(), secrets.token_urlsafe()
    client = Application.objects.create(
        name=f"{request.POST['lifetime']} {request.POST['refreshed_lifetime']}",
        client_type=request.POST["type"],
        client_secret=secret,
        authorization_grant_type=request.POST["grant"],
    )
    user = User.objects.create_user(username=secrets.token_hex(8), password=password)
    return JsonResponse(
        {"id": client.client_id, "secret": secret, "username": user.username, "password": password}
    )


@protected_resource(scopes=["read"], advertise_metadata=True)
def me(request):
    owner = request.resource_owner
    return JsonResponse({"user": owner.username if owner else None})


@protected_resource(scopes=["read"], advertise_metadata=True)
def slow(request):
    time.sleep(0.025)
    return JsonResponse({})


@protected_resource(scopes=["write"], advertise_metadata=True)
def write(request):
    return JsonResponse({})


def token_requests(request):
    with log_lock:
        entries = [entry for entry in log if entry["client"] == request.GET["client"]]
    return JsonResponse(entries, safe=False)


urlpatterns = [
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
    path("clients", clients),
    path("me", me),
    path("slow", slow),
    path("write", write),
    path("log", token_requests),
    path("alive", lambda request: HttpResponse(status=204)),
]

call_command("migrate", verbosity=0)
application = get_wsgi_application()
