import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPipeline } from '../../src/tools/pipeline/parse.ts';
import { allowed, allowedExtended, corpusFiles, forbidden } from './corpus.ts';
import { shellAnswers } from './shell.ts';
import { openWorld, type World } from './world.ts';

let world: World;
let extended: World;

beforeAll(async () => {
  world = await openWorld({ files: corpusFiles });
  extended = await openWorld({ files: corpusFiles, extended: true });
});

afterAll(async () => {
  await world.close();
  await extended.close();
});

async function differences(place: World, commands: readonly string[]): Promise<string[]> {
  const expected = await shellAnswers(place, commands);
  const wrong: string[] = [];
  const queue = commands.map((command, index) => ({ command, index }));
  async function work(): Promise<void> {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const reply = await place.pipe(next.command);
      const stdout = reply.stdout ?? `${reply.error.reason}: ${reply.error.detail}`;
      if (stdout !== expected[next.index])
        wrong.push(
          `${next.command}\n  shell ${JSON.stringify(expected[next.index])}\n  ours  ${JSON.stringify(stdout)}`,
        );
    }
  }
  await Promise.all([work(), work(), work(), work()]);
  return wrong;
}

const isHammer = process.env.SEKISHO_HAMMER === '1';

/** Every fifth by default, so that each part meets a few others; all with SEKISHO_HAMMER=1. */
function sampled(commands: readonly string[]): string[] {
  return commands.filter((_, index) => isHammer || index % 5 === 0);
}

test('what is allowed gives byte for byte what a shell gives', async () => {
  const commands = sampled(allowed());
  expect(commands.length).toBeGreaterThan(100);
  const before = world.hash();

  expect(await differences(world, commands)).toEqual([]);
  expect(world.hash()).toBe(before);
}, 240_000);

test('the extended list gives byte for byte what a shell gives', async () => {
  expect(await differences(extended, sampled(allowedExtended()))).toEqual([]);
});

test('every command of the corpus is read, whatever its quotes', () => {
  const refused: string[] = [];
  const readProgram = (path: string) => corpusFiles[path] ?? '';
  for (const command of allowed()) {
    try {
      readPipeline(command, { expand: () => [], readProgram, extended: false, cwd: '.' });
    } catch {
      refused.push(command);
    }
  }

  expect(allowed().length).toBeGreaterThan(650);
  expect(refused).toEqual([]);
});

test('what is forbidden is refused with its reason, and changes nothing', async () => {
  const refused = forbidden();
  expect(refused.length + allowed().length + allowedExtended().length).toBeGreaterThan(1500);
  const before = world.hash();

  const wrong: string[] = [];
  const suggestions = new Set<string>();
  for (const { command, reason } of refused) {
    const { error, runs } = await world.pipe(command);
    if (error?.code !== 'GUARD_VIOLATION' || error.reason !== reason || !error.detail || !error.suggestion) {
      wrong.push(`${JSON.stringify(command)} should be ${reason}: ${JSON.stringify(error)}`);
    } else if (runs) suggestions.add(error.suggestion);
  }

  expect(wrong).toEqual([]);
  expect(world.hash()).toBe(before);
  expect(suggestions.size).toBeGreaterThan(200);
});

test('a suggestion that is a command is accepted when it is sent back', async () => {
  const suggestions = new Set<string>();
  for (const { command } of forbidden()) {
    const { error, runs } = await world.pipe(command);
    if (runs) suggestions.add(error.suggestion);
  }
  const refused: string[] = [];
  const sent = [...suggestions].filter((_, index) => isHammer || index % 4 === 0);
  // Those that write are sent last: they change what others read.
  for (const suggestion of sent.toSorted((a, b) => Number(a.includes('tee ')) - Number(b.includes('tee ')))) {
    await world.pipe('cd');
    const { error } = await world.pipe(suggestion);
    if (error?.code === 'GUARD_VIOLATION') refused.push(`${suggestion}: ${error.reason}`);
  }

  expect(refused).toEqual([]);
});
