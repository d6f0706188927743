# Makes the certificates of the test servers. Sourced by peers.sh, which defines say and fail.

# Signs KEY's request: issue FOLDER AUTHORITY NAME FIRST-DAY LAST-DAY, both as YYYYMMDDHHMMSSZ.
# Only `openssl ca` can set both days, in every release of OpenSSL.
issue() {
  local folder=$1 authority=$2 name=$3 first=$4 last=$5
  openssl ecparam -name prime256v1 -genkey -noout -out "$folder/$name.key"
  openssl req -new -config "$folder/openssl.cnf" -key "$folder/$name.key" \
    -subj "/CN=RESTKit test $name" -out "$folder/$name.csr"
  openssl ca -batch -notext -config "$folder/openssl.cnf" -extensions "$name" \
    -cert "$folder/$authority.pem" -keyfile "$folder/$authority.key" \
    -startdate "$first" -enddate "$last" -in "$folder/$name.csr" -out "$folder/$name.pem"
}

# Makes a self-signed certificate: self_signed FOLDER NAME.
self_signed() {
  local folder=$1 name=$2
  openssl ecparam -name prime256v1 -genkey -noout -out "$folder/$name.key"
  openssl req -x509 -new -config "$folder/openssl.cnf" -extensions "$name" -days 30 \
    -key "$folder/$name.key" -subj "/CN=RESTKit test $name" -out "$folder/$name.pem"
}

write_openssl_configuration() {
  local folder=$1
  cat >"$folder/openssl.cnf" <<CONFIGURATION
[ca]
default_ca = signing
[signing]
database = $folder/index.txt
new_certs_dir = $folder
rand_serial = yes
default_md = sha256
policy = subject
unique_subject = no
[subject]
commonName = supplied
[req]
distinguished_name = name
prompt = no
[name]
CN = RESTKit test
[ca-own]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[ca-other]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[server]
basicConstraints = CA:FALSE
extendedKeyUsage = serverAuth
subjectAltName = DNS:localhost, IP:127.0.0.1, DNS:proxied.invalid
[expired]
basicConstraints = CA:FALSE
extendedKeyUsage = serverAuth
subjectAltName = DNS:localhost, IP:127.0.0.1
[future]
basicConstraints = CA:FALSE
extendedKeyUsage = serverAuth
subjectAltName = DNS:localhost, IP:127.0.0.1
[elsewhere]
basicConstraints = CA:FALSE
extendedKeyUsage = serverAuth
subjectAltName = DNS:elsewhere.example
[self-signed]
basicConstraints = CA:FALSE
extendedKeyUsage = serverAuth
subjectAltName = DNS:localhost, IP:127.0.0.1
[client]
basicConstraints = CA:FALSE
extendedKeyUsage = clientAuth
[stranger]
basicConstraints = CA:FALSE
extendedKeyUsage = clientAuth
CONFIGURATION
}

# make_certificates FOLDER PASSPHRASE
make_certificates() {
  local folder=$1 passphrase=$2
  local past=20200101000000Z present future=20480101000000Z far=20490101000000Z
  # Starts a minute ago, because the machine's clock may be set back a little.
  present=$("$environment/bin/python" -c '
import time
print(time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time.time() - 60)))')
  mkdir -p "$folder"
  : >"$folder/index.txt"
  write_openssl_configuration "$folder"
  self_signed "$folder" ca-own
  self_signed "$folder" ca-other
  self_signed "$folder" self-signed
  issue "$folder" ca-own server "$present" "$future"
  issue "$folder" ca-own expired "$past" 20200201000000Z
  issue "$folder" ca-own future "$future" "$far"
  issue "$folder" ca-own elsewhere "$present" "$future"
  issue "$folder" ca-own client "$present" "$future"
  issue "$folder" ca-other stranger "$present" "$future"
  openssl pkcs8 -topk8 -v2 aes-256-cbc -passout "pass:$passphrase" \
    -in "$folder/client.key" -out "$folder/client-encrypted.key"
}

# The SHA-256 digest of a certificate's public key, as curl writes it.
public_key_pin() {
  printf 'sha256//'
  openssl x509 -in "$1" -noout -pubkey | openssl pkey -pubin -outform der |
    openssl dgst -sha256 -binary | openssl base64 -A
}
