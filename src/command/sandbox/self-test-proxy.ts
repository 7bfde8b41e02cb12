/** Requests for a server of this machine, in spellings that have bypassed checks before. All must be refused. */
export function proxyRequests(port: number): readonly string[] {
  const connects = [
    `127.0.0.1:${port}`,
    `localhost:${port}`,
    `LOCALHOST.:${port}`,
    `127.0.0.1.:${port}`,
    `127.1:${port}`,
    `0:${port}`,
    `0.0.0.0:${port}`,
    `2130706433:${port}`,
    `0x7f000001:${port}`,
    `0177.0.0.01:${port}`,
    `[::1]:${port}`,
    `[::ffff:127.0.0.1]:${port}`,
    `[::]:${port}`,
    `user@127.0.0.1:${port}`,
    `127.0.0.1:${port}#`,
  ];
  return [
    ...connects.map((target) => `CONNECT ${target} HTTP/1.1\\r\\nHost: ${target}`),
    `GET http://127.0.0.1:${port}/ HTTP/1.1\\r\\nHost: 127.0.0.1:${port}`,
    `GET http://user@localhost:${port}/ HTTP/1.1\\r\\nHost: localhost`,
    `GET / HTTP/1.1\\r\\nHost: 127.0.0.1:${port}`,
  ];
}

/** Script lines of the probe: each request and the first line of its answer. Only bash opens connections itself. */
export function askProxy(proxyPort: number, requests: readonly string[]): string {
  const asks = requests.map((request, index) => `ask ${index} '${request}'`);
  return `
trap '' PIPE
ask() {
  line=
  { exec 5<>/dev/tcp/127.0.0.1/${proxyPort} && printf "$2\\r\\n\\r\\n" >&5 && read -r -t 10 line <&5; exec 5>&-; } 2>/dev/null
  echo "proxy $1=$line"
}
if [ -n "$BASH_VERSION" ]; then
${asks.join('\n')}
fi
`;
}

/** Each request must be refused, rather than tried without success. */
export function findOpenProxy(
  report: ReadonlyMap<string, string>,
  requests: readonly string[],
): string | undefined {
  for (const [index, request] of requests.entries()) {
    const answer = report.get(`proxy ${index}`);
    if (answer === undefined) return 'the proxy could not be tried, for there is no bash';
    if (answer === '') return 'the proxy does not answer';
    if (!/^HTTP\/1\.1 40[03] /.test(answer)) return `the proxy does not refuse ${request.split(' HTTP')[0]}`;
  }
  return undefined;
}
