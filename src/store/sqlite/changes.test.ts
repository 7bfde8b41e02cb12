import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { SignalFile } from './changes.ts';

test('a topic is heard by the others and not by the one that told it', async () => {
  const path = join(place(), 'signals');
  const [here, there] = [open(path), open(path)];
  expect([here.file.listen(), there.file.listen()]).toEqual([true, true]);

  here.file.tell('team/p');
  await until(() => there.heard.length > 0);
  there.file.tell('team/q\nand more');
  await until(() => here.heard.length > 0);

  expect([here.heard, there.heard]).toEqual([['team/q and more'], ['team/p']]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('what is told in quick succession is told together, the last one too', async () => {
  const path = join(place(), 'signals');
  const [here, there] = [open(path), open(path)];
  there.file.listen();

  for (let n = 0; n < 1000; n++) here.file.tell(`team/${n % 3}`);
  here.file.close();
  await until(() => new Set(there.heard).size === 3);

  expect(there.heard.length).toBeLessThan(10);
  here.file.tell('team/late');
  expect(statSync(path).size).toBeLessThan(200);
});

test('the file stays small, and whoever lost lines by that is told so', async () => {
  const path = join(place(), 'signals');
  const [here, there] = [open(path), open(path)];
  here.file.tell(`first ${'x'.repeat(60_000)}`);
  there.file.listen();
  while (there.lost === 0) {
    here.file.tell(`topic ${'y'.repeat(9000)}`);
    await sleep(20);
  }
  expect(statSync(path).size).toBeLessThan(2 * 64 * 1024);

  here.file.tell('after');
  await until(() => there.heard.at(-1) === 'after');
});

test('nothing is heard while nobody listens, and what came meanwhile is not told again', async () => {
  const path = join(place(), 'signals');
  const [here, there] = [open(path), open(path)];
  there.file.listen();
  there.file.rest();
  here.file.tell('missed');
  await sleep(50);
  there.file.listen();
  here.file.tell('heard');
  await until(() => there.heard.length > 0);
  expect(there.heard).toEqual(['heard']);
});

test('a place that cannot hold the file makes it silent', () => {
  const path = join(place(), 'signals');
  mkdirSync(path);
  const { file } = open(path);
  file.tell('team/p');
  expect(file.listen()).toBe(false);
});

function open(path: string) {
  const heard: string[] = [];
  const one = {
    heard,
    lost: 0,
    file: new SignalFile(path, {
      onSignal: (topic) => heard.push(topic),
      onLost: () => {
        one.lost += 1;
      },
    }),
  };
  onTestFinished(() => one.file.close());
  return one;
}

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-signals-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(5);
}
