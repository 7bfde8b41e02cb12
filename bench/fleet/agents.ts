import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, CallOptions, FleetClient } from './client.ts';
import type { Logged } from './log.ts';
import type { Seeded } from './seed.ts';

export interface FleetRun {
  readonly client: FleetClient;
  /** Where the servers are now; each call goes to the next one. */
  readonly urls: () => readonly string[];
  readonly agents: readonly Seeded[];
  /** For files. */
  readonly bearer: string;
  readonly seconds: number;
  /** Agents come one after another, this many a second on average. */
  readonly arrivalsPerSecond: number;
  /** What an agent thinks for between two steps, on average. */
  readonly thinkMs: number;
  readonly random: () => number;
  /** Grows while the fleet works. */
  readonly log: Logged[];
}

/** What agents must think for between two steps, so that all of them ask for so many calls a second. */
export function thinkMsFor(agents: number, callsPerSecond: number): number {
  return (agents * callsATask * 1000) / (callsPerSecond * thinksATask);
}

/** So many agents come a second that they ask for no more while they come than when all are there. */
export function arrivalsFor(callsPerSecond: number): number {
  return callsPerSecond / callsATask;
}

/** Lets all agents come, work until the time is over, and finish what they are at. */
export async function work(run: FleetRun): Promise<void> {
  const beganAt = performance.now();
  const endsAt = beganAt + run.seconds * 1000;
  let next = 0;

  async function call(agent: Seeded, tool: string, input: Logged['input'], options: CallOptions = {}) {
    const urls = run.urls();
    const node = next++ % urls.length;
    const sentAt = performance.now() - beganAt;
    const answer = await run.client.call(urls[node] ?? '', tool, input, options);
    run.log.push({
      agent: agent.id,
      tool,
      input,
      node,
      sentAt,
      endedAt: performance.now() - beganAt,
      answer,
    });
    return answer;
  }

  const exponential = (mean: number) => -Math.log(1 - run.random()) * mean;
  /** When the time is over, nobody thinks for long, and not all stop at one moment. */
  const think = () =>
    sleep(
      Math.min(
        exponential(run.thinkMs),
        Math.max(0, endsAt - performance.now()) + run.random() * run.thinkMs,
      ),
    );
  const isOver = () => performance.now() >= endsAt;

  /** Repeats what can be repeated until it is answered, as a good client does. */
  async function surely(
    agent: Seeded,
    tool: string,
    input: Logged['input'],
    options?: CallOptions,
  ): Promise<Answer> {
    for (;;) {
      const answer = await call(agent, tool, input, options);
      if (!isPassing(answer) || performance.now() > endsAt + patienceMs) return answer;
      await sleep(exponential(200));
    }
  }

  async function live(agent: Seeded, partner: Seeded): Promise<void> {
    const mine = { session_token: agent.task };
    while (!isOver()) {
      const claimed = await surely(agent, 'claim_task', mine);
      const task =
        claimed.kind === 'ok' ? (claimed.value.task as { task_id: string } | undefined) : undefined;
      if (!task) return;
      await think();
      if (run.random() < crashShare) {
        // It dies amid a call whose answer nobody hears, and is started again.
        await call(agent, 'get_next_action', mine, {
          signal: AbortSignal.timeout(Math.ceil(exponential(20))),
        });
        await sleep(exponential(1000));
        await surely(agent, 'get_my_task', mine);
      }
      if (run.random() < otherShare) {
        const path = `${agent.id}/${task.task_id}.md`;
        await call(agent, 'file_write', { path, content: `${agent.id} was here.\n` }, { bearer: run.bearer });
        await call(agent, 'file_read', { path }, { bearer: run.bearer });
      }
      if (run.random() < otherShare) await surely(agent, 'get_next_action', mine);
      if (run.random() < otherShare && partner !== agent) await talk(agent, partner, task.task_id);
      await think();
      await surely(agent, 'report_completed', {
        ...mine,
        result: 'success',
        summary: `Done by ${agent.id}.`,
      });
    }
  }

  /** A question and its answers, in turns. Only what was not heard of is left: nobody says a thing twice. */
  async function talk(agent: Seeded, partner: Seeded, about: string): Promise<void> {
    const [asker, answerer] = [{ session_token: agent.chat }, { session_token: partner.chat }];
    const begun = await call(agent, 'start_conversation', {
      ...asker,
      participant_agent_id: partner.id,
      purpose: about,
      message: `${about} 1`,
    });
    if (begun.kind !== 'ok') return;
    const { conversation_id } = begun.value as { conversation_id: string };
    for (let turn = 2; turn <= turns; turn += 1) {
      const [who, token] = turn % 2 === 0 ? [partner, answerer] : [agent, asker];
      const pending = await call(who, 'get_pending_messages', token);
      if (pending.kind !== 'ok') break;
      const said = await call(who, 'respond_chat', {
        ...token,
        conversation_id,
        content: `${about} ${turn}`,
      });
      if (said.kind !== 'ok') break;
    }
    await surely(agent, 'end_conversation', { ...asker, conversation_id, summary: about });
  }

  const living: Promise<void>[] = [];
  for (const [n, agent] of run.agents.entries()) {
    // Pairs talk among themselves.
    const partner = run.agents[n % 2 === 0 ? n + 1 : n - 1] ?? agent;
    living.push(live(agent, partner));
    await sleep(exponential(1000 / run.arrivalsPerSecond));
  }
  await Promise.all(living);
}

/** Nobody heard, or the server could not for now: worth another try. */
function isPassing(answer: Answer): boolean {
  if (answer.kind === 'lost') return true;
  const { code } = (answer.value.error ?? {}) as { code?: string };
  return answer.kind === 'error' && (code === 'unavailable' || code === 'storage_full');
}

const crashShare = 0.1;
const otherShare = 0.25;
const turns = 4;
/** A claim and a report; what a crash adds; a file written and read, advice, a conversation. */
const callsATask = 2 + 2 * crashShare + otherShare * (2 + 1 + 2 * turns);
const thinksATask = 2;
/** After the end of a run, for servers that are down at that moment. */
const patienceMs = 90_000;
