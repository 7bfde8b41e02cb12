import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { goodClaims, openSigner } from '../../test/identity/signer.ts';
import { makeFolder, sekisho } from '../world.ts';

export type Tier = 'interactive' | 'subagent' | 'background' | 'api';

interface TierPolicy {
  permission?: string;
  readonly rate_limit_per_minute?: number;
}

type ByTier = Partial<Record<Tier, TierPolicy>>;

interface Tool {
  readonly name: string;
  readonly required_scopes?: readonly string[];
}

/** As AgentGovBench describes what is to be governed. */
export interface Setup {
  readonly tenants: readonly Tenant[];
  readonly tools: readonly Tool[];
}

export interface Tenant {
  readonly id: string;
  readonly users: readonly {
    readonly uid: string;
    readonly email?: string;
    readonly scopes?: readonly string[];
  }[];
  readonly policy?: {
    readonly defaults?: ByTier;
    readonly tools?: Record<string, ByTier>;
    readonly users?: Record<string, ByTier>;
    readonly user_tools?: Record<string, Record<string, ByTier>>;
  };
}

const tiers: readonly Tier[] = ['interactive', 'subagent', 'background', 'api'];

/** The built server over HTTP for one tenant: its people's tokens, its rules, the tools that it governs. */
export async function openTenant(tenant: Tenant, tools: readonly Tool[]) {
  const { folder, remove } = makeFolder();
  const root = join(folder, 'root');
  const state = join(folder, 'state');
  mkdirSync(root);
  const [config, list] = [join(folder, 'sekisho.jsonc'), join(folder, 'tools.json')];
  writeFileSync(list, JSON.stringify(tools.map(({ name }) => ({ name }))));
  const environment = { PATH: process.env.PATH, HOME: folder };
  const signer = await openSigner();
  const resource = `https://${tenant.id}.example/mcp`;
  const port = await freePort();
  const changes: { user?: string; tool?: string; tier?: Tier; permission: string }[] = [];
  const flags = ['--root', root, '--config', config, '--state', state];
  let child: ChildProcess | undefined;

  function configure(): void {
    const standIn = join(import.meta.dirname, 'stand-in.ts');
    const perMinute = tenant.policy?.defaults?.interactive?.rate_limit_per_minute;
    const readOnly = tools.filter(({ name }) => name.startsWith('read_'));
    const settings = {
      toolsets: ['agent-cli'],
      rules: deniedIn(tenant, tools, changes),
      ...(perMinute !== undefined && { rateLimits: [{ appliesTo: 'remote', perMinute }] }),
      http: {
        oauth: {
          resource,
          issuers: [
            {
              issuer: signer.issuer,
              name: 't',
              roles: { claim: 'tier', map: Object.fromEntries(tiers.map((tier) => [tier, tier])) },
            },
          ],
        },
      },
      mcpServers: {
        t: {
          command: process.execPath,
          args: [standIn, list, join(folder, 'calls.log')],
          // Who may call what is the question here; every role may, but for the rules.
          sandbox: 'off',
          ask: 'never',
          flow: 'off',
          roles: tiers,
          tools: Object.fromEntries(readOnly.map(({ name }) => [name, { readOnly: true }])),
        },
      },
    };
    writeFileSync(config, JSON.stringify(settings));
  }

  async function start(): Promise<void> {
    child = spawn(process.execPath, [sekisho, 'serve', '--http', `127.0.0.1:${port}`, ...flags], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: environment,
    });
    let said = '';
    for await (const chunk of child.stderr ?? []) {
      said += chunk;
      if (said.includes('Ctrl-C')) break;
    }
    if (!said.includes('Ctrl-C')) throw new Error(`the server ended: ${said}`);
    child.stderr?.resume();
  }

  async function stop(how: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const running = child;
    child = undefined;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    running.kill(how);
    await once(running, 'exit');
  }

  async function token(
    user: string,
    tier: Tier,
    acting?: { readonly chain: readonly string[]; readonly scopes: readonly string[] },
  ): Promise<string> {
    const email = tenant.users.find(({ uid }) => uid === user)?.email;
    const isReading = acting?.scopes.every((scope) => scope.endsWith('.read'));
    const act = acting?.chain.reduce<object | undefined>(
      (before, sub) => ({ sub, ...(before && { act: before }) }),
      undefined,
    );
    return signer.sign({
      ...goodClaims(signer.issuer, resource),
      sub: user,
      tier,
      scope: isReading ? 'tools:read' : 'tools:read tools:write',
      ...(email !== undefined && { email }),
      ...(act && { act }),
    });
  }

  function send(name: string, input: object, bearer: string | undefined): Promise<Response> {
    return fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': name,
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name,
          arguments: input,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'score', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    });
  }

  configure();
  // The operator has looked at the tools.
  execFileSync(process.execPath, [sekisho, 'server', 'check', 't', ...flags], { env: environment });
  await start();
  return {
    token,
    /** Whether the tool ran; a server that is away is tried again for a while. */
    async call(
      tool: string,
      input: object,
      bearer: string | undefined,
      patienceMs: number,
    ): Promise<boolean> {
      for (const untilMs = Date.now() + patienceMs; ; await sleep(250)) {
        try {
          return await answers(await send(`t__${tool}`, input, bearer));
        } catch (error) {
          if (Date.now() > untilMs) return false;
          if (!(error instanceof TypeError)) throw error;
        }
      }
    },
    /** The operator writes another rule, and starts the server anew. */
    async change(to: { user?: string; tool?: string; tier?: Tier; set_permission?: string }): Promise<void> {
      changes.push({ ...to, permission: to.set_permission ?? 'allow' });
      configure();
      await stop();
      await start();
    },
    /** It is away for so long, or its records cannot be read any more. */
    async fail(isBroken: boolean, ms: number): Promise<void> {
      await stop('SIGKILL');
      if (isBroken) {
        for (const name of readdirSync(state, { recursive: true, encoding: 'utf8' }))
          if (name.endsWith('.db')) writeFileSync(join(state, name), 'no database');
      }
      setTimeout(() => void start().catch(() => undefined), isBroken ? 0 : ms).unref();
    },
    async audit(): Promise<readonly Readonly<Record<string, unknown>>[]> {
      await stop();
      const lines = execFileSync(process.execPath, [sekisho, 'audit', 'export', ...flags], {
        encoding: 'utf8',
        env: environment,
        maxBuffer: 1 << 26,
      });
      return lines
        .split('\n')
        .filter(Boolean)
        .map((line) => asTheirs(JSON.parse(line), tenant.id))
        .filter(({ actor_uid: uid }) => !String(uid).startsWith('cli:'));
    },
    async close(): Promise<void> {
      await stop();
      await signer.close();
      remove();
    },
  };
}

export type TenantServer = Awaited<ReturnType<typeof openTenant>>;

/** The more special entry counts, and what needs a scope that somebody lacks is denied to them. */
function deniedIn(
  { users, policy = {} }: Tenant,
  tools: readonly Tool[],
  changes: readonly { user?: string; tool?: string; tier?: Tier; permission: string }[],
): object[] {
  return users.flatMap(({ uid, scopes = [] }) =>
    tools.flatMap(({ name, required_scopes: needed = [] }) =>
      tiers.flatMap((tier) => {
        const change = changes.findLast(
          ({ user = uid, tool = name, tier: of = tier }) => user === uid && tool === name && of === tier,
        );
        const permission =
          change?.permission ??
          policy.user_tools?.[uid]?.[name]?.[tier]?.permission ??
          policy.users?.[uid]?.[tier]?.permission ??
          policy.tools?.[name]?.[tier]?.permission ??
          policy.defaults?.[tier]?.permission ??
          'allow';
        const isDenied = permission === 'deny' || needed.some((scope) => !scopes.includes(scope));
        const because = `${name} is not for ${uid}`;
        return isDenied
          ? [{ tool: `t__${name}`, user: `t/${uid}`, role: tier, decision: 'deny', because }]
          : [];
      }),
    ),
  );
}

/** An entry of our log in their words. */
function asTheirs(entry: Record<string, unknown>, tenant: string): Readonly<Record<string, unknown>> {
  const { principal, outcome, code, atMs, id, traceId, tool } = entry as Record<string, string | undefined>;
  const facts = (entry.facts ?? {}) as { chain?: string[]; person?: string; refusal?: string };
  return {
    tenant,
    tool: tool?.replace(/^t__/, ''),
    actor_uid: principal?.replace(/^user:t\//, ''),
    actor_email: facts.person,
    decision: outcome === 'ok' ? 'allow' : 'deny',
    reason: facts.refusal ?? code,
    timestamp: atMs,
    trace_id: traceId ?? id,
    delegation_chain: facts.chain?.slice(1) ?? [],
    extra: facts,
  };
}

/** Did the tool run? */
async function answers(response: Response): Promise<boolean> {
  const words = await response.text();
  return response.ok && words.includes('"ok"') && !words.includes('"isError":true');
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
