"""Makes a wheel and uploads it as twine does. Usage: work.py NUMBER URL"""
import base64, hashlib, sys, urllib.request, zipfile

number, url = sys.argv[1:3]
name = f"plan{number}"
info = f"{name}-1.0.dist-info"
files = {
    f"{name}.py": f"number = {number}\n",
    f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
    f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: work\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
}
record = "".join(
    f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip('=')},{len(text)}\n"
    for path, text in files.items()
)
files[f"{info}/RECORD"] = record + f"{info}/RECORD,,\n"
wheel = f"{name}-1.0-py3-none-any.whl"
with zipfile.ZipFile(wheel, "w") as made:
    for path, text in files.items():
        made.writestr(zipfile.ZipInfo(path), text)
fields = {":action": "file_upload", "protocol_version": "1", "name": name, "version": "1.0", "filetype": "bdist_wheel"}
form = "".join(f'--cut\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n' for key, value in fields.items())
form += f'--cut\r\nContent-Disposition: form-data; name="content"; filename="{wheel}"\r\n\r\n'
body = form.encode() + open(wheel, "rb").read() + b"\r\n--cut--\r\n"
headers = {"Content-Type": "multipart/form-data; boundary=cut"}
print(urllib.request.urlopen(urllib.request.Request(url, body, headers)).status)
