"""The OAuth 2 server of the integration tests: an unmodified django-oauth-toolkit.

The toolkit itself issues, rotates, refuses and revokes tokens, asks users for their consent, and
protects /me and /write. This file adds requests that create a client and a user for one test, and
that return a log of the token requests.

    POST /clients  creates a client and a user. The form has the client's grant and type (public or
                   confidential), and the lifetimes in seconds of its first tokens and of refreshed
                   tokens. Optional are slow_down, the number of a device's polls before the server
                   responds with slow_down, and redirect_uris, the allowed redirect URIs
    POST /expire   expires the device code that belongs to the form's user_code
    GET  /me       requires a token with the scope read, and returns its user
    GET  /slow     requires a token with the scope read, and responds after 25 ms
    GET  /write    requires a token with the scope write
    GET  /log      the token requests of ?client=ID, in order
    /login/        the page where a user enters name and password

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
    """Returns the lifetime of a token, which the client's name contains."""
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
    # Secrets live as long as a test. A slow hash would dominate the time of each request.
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": os.environ["RESTKIT_OAUTH_DATABASE"],
            "CONN_MAX_AGE": None,
            # Otherwise, one of two concurrent transactions that read before they write fails.
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
        # A refresh token that is used twice ends the session (RFC 9700 §4.14.2), unless the second
        # use comes within the grace period.
        "REFRESH_TOKEN_REUSE_PROTECTION": True,
        "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": int(os.environ["RESTKIT_OAUTH_GRACE_SECONDS"]),
        "EXTRA_SERVER_KWARGS": {"token_expires_in": lifetime},
        # Responses of the authorization endpoint name the issuer (RFC 9207).
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
# The number of a client's polls before the server responds with slow_down.
patience = {}
polls = collections.Counter()


def client_of(request):
    """Returns the client ID from the header or the form."""
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
    """Adds the slow_down of RFC 8628 §3.5, which django-oauth-toolkit itself never sends."""

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
    """Adds the metadata member of RFC 8628 §4, which django-oauth-toolkit omits."""

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
