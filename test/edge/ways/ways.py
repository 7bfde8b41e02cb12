"""Ways of Python to send words to a host, and to read from it. Usage: ways.py NAME URL WORDS"""
import base64, gzip, http.client, os, socket, ssl, sys, urllib.parse, urllib.request

name, url, words = sys.argv[1:4]
parts = urllib.parse.urlsplit(url)
proxy = urllib.parse.urlsplit(os.environ.get("HTTPS_PROXY", ""))


def connection():
    """http.client knows no proxy by itself."""
    made = http.client.HTTPSConnection(proxy.hostname, proxy.port, timeout=20)
    made.set_tunnel(parts.hostname, parts.port)
    return made


def raw(text):
    plain = socket.create_connection((proxy.hostname, proxy.port), timeout=20)
    target = f"{parts.hostname}:{parts.port}"
    plain.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
    plain.recv(4096)
    secured = ssl.create_default_context().wrap_socket(plain, server_hostname=parts.hostname)
    secured.sendall(text.replace("HOST", target).encode())
    secured.settimeout(3)
    answer = b""
    try:
        while True:
            got = secured.recv(65536)
            if not got:
                break
            answer += got
    except OSError:
        pass
    print(answer.decode("latin1"))


def ask(method, path, body=None, headers={}):
    made = connection()
    made.request(method, path, body, headers, encode_chunked=True)
    answer = made.getresponse()
    print(answer.status, answer.read().decode("latin1")[:300])


def opened(request):
    try:
        print(urllib.request.urlopen(request, timeout=20).read().decode("latin1")[:300])
    except urllib.error.HTTPError as error:
        print(error.code, error.reason, error.read().decode("latin1")[:300])


def requests_():
    import requests

    return requests


def s3():
    import boto3
    from botocore.config import Config

    return boto3.client(
        "s3", endpoint_url=url, region_name="us-east-1", aws_access_key_id="AKIAIOSFODNN7EXAMPLE",
        aws_secret_access_key="none", config=Config(retries={"max_attempts": 0}, s3={"addressing_style": "path"}),
    )


def show(answer):
    print(answer.status_code, answer.text[:300])


length = len(words)
ways = {
    # sending
    "http.client": lambda: ask("POST", "/notes", words),
    "http.client-chunked": lambda: ask("POST", "/notes", iter([words.encode()]), {"Transfer-Encoding": "chunked"}),
    "http.client-get-body": lambda: ask("GET", "/notes", words),
    "http.client-patch-gzip": lambda: ask("PATCH", "/notes", gzip.compress(words.encode()), {"Content-Encoding": "gzip"}),
    "urllib": lambda: opened(urllib.request.Request(url + "/notes", words.encode())),
    "urllib-put": lambda: opened(urllib.request.Request(url + "/notes", words.encode(), method="PUT")),
    "urllib-header": lambda: opened(urllib.request.Request(url + "/notes", headers={"X-Note": words * 9})),
    "requests": lambda: show(requests_().post(url + "/notes", data=words)),
    "requests-json": lambda: show(requests_().post(url + "/notes", json={"note": words})),
    "requests-files": lambda: show(requests_().post(url + "/notes", files={"note": words})),
    "requests-chunked": lambda: show(requests_().put(url + "/notes", data=iter([words.encode()]))),
    "requests-query": lambda: show(requests_().get(url + "/notes", params={"q": words * 12})),
    "requests-basic": lambda: show(requests_().get(url + "/notes", auth=("me", words * 4))),
    "raw": lambda: raw(f"POST /notes HTTP/1.1\r\nHost: HOST\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{words}"),
    "raw-pipelined": lambda: raw(
        f"GET /a HTTP/1.1\r\nHost: HOST\r\n\r\nPOST /notes HTTP/1.1\r\nHost: HOST\r\nContent-Length: {length}\r\n\r\n{words}"
        "GET /b HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n"
    ),
    "raw-path": lambda: raw(f"GET /{base64.urlsafe_b64encode(words.encode()).decode()} HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n"),
    "raw-trailer": lambda: raw(
        f"GET /a HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\nTrailer: X-Note\r\n\r\n0\r\nX-Note: {words}\r\n\r\n"
    ),
    "boto3": lambda: s3().put_object(Bucket="b", Key="notes", Body=words),
    "boto3-delete": lambda: s3().delete_object(Bucket="b", Key="notes"),
    "rounds": lambda: [opened(url + "/search?q=" + urllib.parse.quote(words[at : at + 3])) for at in range(0, length, 3)],
    # reading
    "read-http.client": lambda: ask("GET", "/items"),
    "read-head": lambda: ask("HEAD", "/items"),
    "read-options": lambda: ask("OPTIONS", "/items"),
    "read-urllib": lambda: opened(url + "/items?page=2"),
    "read-requests": lambda: show(requests_().get(url + "/items", params={"q": "a word", "page": 3})),
    "read-session": lambda: [show(each) for s in [requests_().Session()] for each in [s.get(url + "/items"), s.get(url + "/more")]],
    "read-bearer": lambda: show(requests_().get(url + "/items", headers={"Authorization": "Bearer ab12cd34ef56ab12cd34"})),
    "read-basic": lambda: show(requests_().get(url + "/items", auth=("me", "a-password"))),
    "read-range": lambda: show(requests_().get(url + "/items", headers={"Range": "bytes=0-99"})),
    "read-stream": lambda: print(len(requests_().get(url + "/items", stream=True).raw.read())),
    "read-raw": lambda: raw("GET /items HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n"),
    "read-pipelined": lambda: raw("GET /items HTTP/1.1\r\nHost: HOST\r\n\r\nGET /more HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n"),
    "read-boto3": lambda: print(s3().get_object(Bucket="b", Key="items")["Body"].read().decode()),
    "read-etag": lambda: show(requests_().get(url + "/items", headers={"If-None-Match": 'W/"5f2c-18e"'})),
}
ways[name]()
