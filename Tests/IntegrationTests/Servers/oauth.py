"""The OAuth 2 server of the integration tests: django-oauth-toolkit, as it is installed.

All that issues, rotates, refuses and revokes tokens, that asks users for their consent, and that
guards /me and /write, is its own. Here is what makes a client and a user for one test, and what
tells which token requests there were.

    POST /clients  makes a client and a user; the form says the client's grant and type (public or
                   confidential), and how long its tokens live, in seconds: the first ones, and
                   those that a refresh brings; with slow_down, how many polls of a device are
                   answered first; with redirect_uris, where codes may be sent
    POST /expire   ends the life of the device code whose user_code the form has
    GET  /me       needs a token with the scope read, and says whose it is
    GET  /slow     the same, after 25 ms
    GET  /write    needs a token with the scope write
    GET  /log      the token requests of ?client=ID, in order
    /login/        where a user enters name and password

The issuer is /o, so the metadata of RFC 8414 is at /.well-known/oauth-authorization-server/o.
"""

import base64
import collections
import json
import os
import secrets
import threading
import time
import urllib.parse

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application

ADDRESS = os.environ["RESTKIT_OAUTH_ADDRESS"]
LOGIN_PAGE = """<form method="post">{% csrf_token %}{{ form }}<button>Log in</button></form>"""


def lifetime(request):
    """How long a token is valid: a client's name says it."""
    first, refreshed = request.client.name.split()
    return int(refreshed if request.grant_type == "refresh_token" else first)


settings.configure(
    SECRET_KEY=secrets.token_hex(),
    ALLOWED_HOSTS=["127.0.0.1", "localhost"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        f"{__name__}.log_token_requests",
        f"{__name__}.slow_down",
        f"{__name__}.name_device_endpoint",
    ],
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "oauth2_provider"],
    SESSION_ENGINE="django.contrib.sessions.backends.signed_cookies",
    LOGIN_URL="/login/",
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "OPTIONS": {
                "loaders": [
                    (
                        "django.template.loaders.locmem.Loader",
                        {"registration/login.html": LOGIN_PAGE},
                    ),
                    "django.template.loaders.app_directories.Loader",
                ],
            },
        }
    ],
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
        # Answers at the authorization endpoint name the issuer (RFC 9207).
        "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
        "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
        "OAUTH_DEVICE_VERIFICATION_URI": f"{ADDRESS}/o/device/",
        "OAUTH_DEVICE_VERIFICATION_URI_COMPLETE": (
            lambda user_code: f"{ADDRESS}/o/device/?user_code={user_code}"
        ),
    },
)
django.setup()

from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView
from django.core.management import call_command
from django.http import HttpResponse, JsonResponse
from django.urls import include, path
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from oauth2_provider.decorators import protected_resource
from oauth2_provider.models import Application, DeviceGrant
from oauth2_provider.urls import metadata_urlpatterns
from oauthlib.oauth2.rfc8628.errors import SlowDownError

log = []
log_lock = threading.Lock()
# How many polls of a client are answered before one of them is told to slow down.
patience = {}
polls = collections.Counter()


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


def slow_down(get_response):
    """The answer of RFC 8628 §3.5 that the server of django-oauth-toolkit never gives itself."""

    def middleware(request):
        client = request.POST.get("client_id")
        if "device_code" in request.POST and client in patience:
            with log_lock:
                polls[client] += 1
                is_late = polls[client] == patience[client] + 1
            if is_late:
                error = SlowDownError()
                return HttpResponse(error.json, "application/json", error.status_code)
        return get_response(request)

    return middleware


def name_device_endpoint(get_response):
    """The member of the metadata that RFC 8628 §4 adds, and django-oauth-toolkit leaves out."""

    def middleware(request):
        response = get_response(request)
        if request.path.startswith("/.well-known/oauth-authorization-server"):
            metadata = json.loads(response.content)
            endpoint = metadata["issuer"] + "/device-authorization/"
            response.content = json.dumps(metadata | {"device_authorization_endpoint": endpoint})
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
        redirect_uris=request.POST.get("redirect_uris", ""),
    )
    if "slow_down" in request.POST:
        patience[client.client_id] = int(request.POST["slow_down"])
    user = User.objects.create_user(username=secrets.token_hex(8), password=password)
    return JsonResponse(
        {"id": client.client_id, "secret": secret, "username": user.username, "password": password}
    )


@csrf_exempt
def expire(request):
    DeviceGrant.objects.filter(user_code=request.POST["user_code"]).update(expires=timezone.now())
    return HttpResponse(status=204)


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
    *metadata_urlpatterns,
    path("login/", LoginView.as_view()),
    path("clients", clients),
    path("expire", expire),
    path("me", me),
    path("slow", slow),
    path("write", write),
    path("log", token_requests),
    path("alive", lambda request: HttpResponse(status=204)),
]

call_command("migrate", verbosity=0)
application = get_wsgi_application()
