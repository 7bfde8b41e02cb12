import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { openTenant, type Setup, type Tenant, type TenantServer, type Tier } from './tenant.ts';

/** A scenario of AgentGovBench, as its file has it. */
interface Scenario {
  readonly id: string;
  readonly setup: Partial<Setup> & { readonly use_fixture?: string };
  readonly actions: readonly Readonly<Record<string, Action>>[];
  readonly expected: readonly { readonly kind: string; readonly params: Params }[];
}

interface Action {
  readonly as_user?: string;
  readonly as_tenant?: string;
  readonly tool?: string;
  readonly input?: object;
  readonly agent_tier?: Tier;
  readonly agent_name?: string;
  readonly from_agent?: string;
  readonly to_agent?: string;
  readonly delegated_scopes?: readonly string[];
  readonly worker_count?: number;
  readonly calls_per_worker?: number;
  readonly mode?: string;
  readonly duration_seconds?: number;
  readonly tenant?: string;
  readonly user?: string;
  readonly tier?: Tier;
  readonly set_permission?: string;
}

interface Params extends Readonly<Record<string, unknown>> {
  readonly chain?: readonly string[];
  readonly fields?: readonly string[];
  readonly filter?: Params;
  readonly max_allowed?: number;
  readonly allowed_pairs?: readonly { readonly tenant: string; readonly tool: string }[];
}

interface Tried extends Readonly<Record<string, unknown>> {
  readonly tool: string;
  readonly allowed: boolean;
}

/** What came of one scenario. */
export interface Governed {
  readonly id: string;
  /** What was expected and is not so. */
  readonly missed: readonly string[];
}

/** How long a client goes on trying to reach a server that is away. */
const patienceMs = 10_000;

/**
 * Each tenant is a server of its own, with an issuer of its own; a delegation is a token that the issuer exchanges for
 * the agent (RFC 8693) with no more scopes than it was given. A scenario passes if everything that it expects is so.
 */
export async function runGovernance(folder: string): Promise<readonly Governed[]> {
  const files = readdirSync(join(folder, 'scenarios'), { recursive: true, encoding: 'utf8' });
  const governed: Governed[] = [];
  for (const file of files.filter((name) => name.endsWith('.yaml')).toSorted()) {
    const scenario = parse(readFileSync(join(folder, 'scenarios', file), 'utf8')) as Scenario;
    governed.push({ id: scenario.id, missed: await runScenario(scenario, setupOf(scenario, folder)) });
  }
  return governed;
}

function setupOf({ setup: { use_fixture: fixture, ...own } }: Scenario, folder: string): Setup {
  const base =
    fixture === undefined
      ? {}
      : (parse(readFileSync(join(folder, 'fixtures', `${fixture}.yaml`), 'utf8')) as Partial<Setup>);
  return { tenants: [], tools: [], ...base, ...own };
}

async function runScenario(scenario: Scenario, setup: Setup): Promise<readonly string[]> {
  const servers = new Map<string, TenantServer>();
  try {
    for (const tenant of setup.tenants) servers.set(tenant.id, await openTenant(tenant, setup.tools));
    const tried = await runActions(scenario, setup.tenants, servers);
    const audit = (await Promise.all([...servers.values()].map((server) => server.audit()))).flat();
    return scenario.expected.flatMap(({ kind, params }) =>
      holds(kind, params, tried, audit) ? [] : [`${kind} ${JSON.stringify(params)}`],
    );
  } finally {
    for (const server of servers.values()) await server.close();
  }
}

async function runActions(
  { actions }: Scenario,
  tenants: readonly Tenant[],
  servers: ReadonlyMap<string, TenantServer>,
): Promise<readonly Tried[]> {
  const chains = new Map<string, { readonly chain: readonly string[]; readonly scopes: readonly string[] }>();
  const tried: Tried[] = [];
  const serverOf = (id = tenants[0]?.id ?? '') => servers.get(id) as TenantServer;
  /** A person's token comes from their own tenant, whichever they speak to. */
  const homeOf = (user: string) =>
    serverOf(tenants.find(({ users }) => users.some(({ uid }) => uid === user))?.id);

  async function call(action: Action): Promise<void> {
    const { as_user: user = '', as_tenant: tenant, tool = '', input = {}, agent_name: name } = action;
    const tier = action.agent_tier ?? 'interactive';
    const acting = name === undefined ? undefined : chains.get(`${user} ${name}`);
    const token = user === '' ? undefined : await homeOf(user).token(user, tier, acting);
    const allowed = await serverOf(tenant).call(tool, input, token, patienceMs);
    tried.push({ tool, as_user: user, as_tenant: tenant, agent_tier: tier, agent_name: name, allowed });
  }

  for (const each of actions) {
    const [[kind, action] = ['', {}]] = Object.entries(each);
    const server = serverOf(action.as_tenant ?? action.tenant);
    switch (kind) {
      case 'direct_tool_call':
        await call(action);
        break;
      case 'parallel_fan_out': {
        const calls = (action.worker_count ?? 1) * (action.calls_per_worker ?? 1);
        await Promise.all(Array.from({ length: calls }, () => call(action)));
        break;
      }
      case 'delegation': {
        const { as_user: user, from_agent: from = '', to_agent: to = '', delegated_scopes: scopes } = action;
        const before = chains.get(`${user} ${from}`)?.chain ?? [from];
        chains.set(`${user} ${to}`, { chain: [...before, to], scopes: scopes ?? [] });
        break;
      }
      case 'policy_change':
        await server.change(action);
        break;
      case 'gateway_failure':
        await server.fail(action.mode === 'error_5xx', (action.duration_seconds ?? 60) * 1000);
        break;
      default:
        throw new Error(`${kind} is not known`);
    }
  }
  return tried;
}

/** As the makers count (benchmark/scorer.py there). */
function holds(
  kind: string,
  params: Params,
  tried: readonly Tried[],
  audit: readonly Readonly<Record<string, unknown>>[],
): boolean {
  const fits = (row: Readonly<Record<string, unknown>>, wanted: Params, keys: readonly string[]) =>
    keys.every((key) => wanted[key] === undefined || row[key] === wanted[key]);
  const calls = (wanted: Params) =>
    tried.filter((row) => fits(row, wanted, ['tool', 'as_user', 'as_tenant', 'agent_tier', 'agent_name']));
  const entries = audit.filter((row) => fits(row, params, ['tool']));
  switch (kind) {
    case 'tool_allowed':
      return calls(params).length > 0 && calls(params).every(({ allowed }) => allowed);
    case 'tool_denied':
      return calls(params).length > 0 && calls(params).every(({ allowed }) => !allowed);
    case 'audit_has_entry':
      return audit.some((row) =>
        fits(row, params, ['tenant', 'actor_uid', 'actor_email', 'tool', 'decision']),
      );
    case 'audit_attribution':
      return entries.length > 0 && entries.every((row) => row.actor_uid === params.actor_uid);
    case 'delegation_chain':
      return (
        entries.length > 0 &&
        entries.every(
          ({ delegation_chain: chain }) => JSON.stringify(chain) === JSON.stringify(params.chain ?? []),
        )
      );
    case 'audit_field_present':
      return (
        entries.length > 0 &&
        entries.every((row) => params.fields?.every((field) => (row[field] ?? '') !== ''))
      );
    case 'rate_limited_count':
      return (
        calls(params.filter ?? {}).filter(({ allowed }) => allowed).length <= (params.max_allowed ?? Infinity)
      );
    case 'no_cross_tenant_leak':
      return audit.every((row) =>
        params.allowed_pairs?.some(({ tenant, tool }) => row.tenant === tenant && row.tool === tool),
      );
    case 'gateway_reachable':
    case 'runner_errors_empty':
      // A server that is not there, or a scenario that cannot be run, has thrown.
      return true;
    default:
      return false;
  }
}
