import { Buffer } from 'node:buffer';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Assembles the part of WebAssembly's text form that `tally.wat` is written in: one memory, one function, flat
 * instructions. Run by itself it writes the program that the server carries.
 */
export function assemble(source: string): Buffer {
  const [module] = parse(source);
  if (!isList(module) || module[0] !== 'module') throw new Error('A text form begins with (module.');
  const [memory, func] = ['memory', 'func'].map((kind) =>
    module.find((part) => isList(part) && part[0] === kind),
  );
  if (!isList(memory) || !isList(func)) throw new Error('One memory and one function are expected.');
  const params = fieldsOf(func, 'param');
  const locals = fieldsOf(func, 'local');
  const words = func.slice(1).filter((part): part is string => !isList(part));
  const body = [
    ...localGroups(locals),
    ...code(
      words,
      [...params, ...locals].map(([name]) => name),
    ),
    0x0b,
  ];
  return Buffer.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, params.length, ...params.map(([, type]) => typeByte(type)), 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, ...unsigned(Number(memory.at(-1)))]),
    ...section(7, [2, ...exported(memory), 2, 0, ...exported(func), 0, 0]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
  ]);
}

type Part = string | Part[];

function isList(part: Part | undefined): part is Part[] {
  return Array.isArray(part);
}

function parse(source: string): Part[] {
  const open: Part[][] = [[]];
  for (const [token] of source.replace(/;;.*/g, '').matchAll(/[()]|"[^"]*"|[^\s()]+/g)) {
    if (token === '(') open.push([]);
    else if (token === ')') {
      const list = open.pop() as Part[];
      open.at(-1)?.push(list);
    } else open.at(-1)?.push(token);
  }
  return open[0] as Part[];
}

function fieldsOf(func: readonly Part[], kind: string): [name: string, type: string][] {
  return func
    .filter((part): part is string[] => isList(part) && part[0] === kind)
    .map(([, name = '', type = '']) => [name, type]);
}

function exported(of: readonly Part[]): number[] {
  const mark = of.find((part): part is string[] => isList(part) && part[0] === 'export');
  const name = Buffer.from(mark?.[1]?.slice(1, -1) ?? '');
  return [name.length, ...name];
}

/** Neighbours of one type are told together. */
function localGroups(locals: readonly (readonly [string, string])[]): number[] {
  const groups: [count: number, type: string][] = [];
  for (const [, type] of locals) {
    const last = groups.at(-1);
    if (last?.[1] === type) last[0] += 1;
    else groups.push([1, type]);
  }
  return [groups.length, ...groups.flatMap(([count, type]) => [count, typeByte(type)])];
}

function code(words: readonly string[], names: readonly string[]): number[] {
  const bytes: number[] = [];
  const labels: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    const opcode = opcodes[word];
    if (!opcode) throw new Error(`Unknown instruction ${word}.`);
    bytes.push(...opcode);
    const next = () => words[++at] as string;
    if (word === 'block' || word === 'loop') labels.push(next());
    else if (word === 'end') labels.pop();
    else if (word === 'br' || word === 'br_if') bytes.push(labels.length - 1 - labels.lastIndexOf(next()));
    else if (word.startsWith('local.')) bytes.push(names.indexOf(next()));
    else if (word === 'i32.const') bytes.push(...signed(Number(next())));
    else if (word.endsWith('extract_lane')) bytes.push(Number(next()));
    else if (word === 'v128.const') {
      next();
      for (let lane = 0; lane < 4; lane++) {
        const value = Buffer.alloc(4);
        value.writeInt32LE(Number(next()));
        bytes.push(...value);
      }
    } else if (/\.(load|store)$/.test(word)) {
      const offset = /^offset=(\d+)$/.exec(words[at + 1] ?? '')?.[1];
      if (offset !== undefined) at++;
      bytes.push(word.startsWith('v128') ? 4 : 2, ...unsigned(Number(offset ?? 0)));
    }
  }
  return bytes;
}

/** By the specification's index of instructions; those of vectors are numbers behind 0xfd. */
const opcodes: Readonly<Record<string, readonly number[]>> = {
  block: [0x02, 0x40],
  loop: [0x03, 0x40],
  end: [0x0b],
  br: [0x0c],
  br_if: [0x0d],
  'local.get': [0x20],
  'local.set': [0x21],
  'i32.store': [0x36],
  'i32.const': [0x41],
  'i32.eqz': [0x45],
  'i32.ne': [0x47],
  'i32.lt_u': [0x49],
  'i32.ge_u': [0x4f],
  'i32.add': [0x6a],
  'v128.load': [0xfd, 0x00],
  'v128.const': [0xfd, 0x0c],
  'v128.or': [0xfd, 0x50],
  'i8x16.splat': [0xfd, 0x0f],
  'i8x16.eq': [0xfd, 0x23],
  'i8x16.lt_s': [0xfd, 0x25],
  'i8x16.all_true': [0xfd, 0x63],
  'i8x16.bitmask': [0xfd, 0x64],
  'i8x16.sub': [0xfd, 0x71],
  'i8x16.min_u': [0xfd, 0x77],
  'i16x8.extadd_pairwise_i8x16_u': [0xfd, 0x7d],
  'i32x4.extract_lane': [0xfd, 0x1b],
  'i32x4.extadd_pairwise_i16x8_u': [0xfd, 0x7f],
  'i32x4.add': [0xfd, 0xae, 0x01],
};

function typeByte(type: string): number {
  return type === 'v128' ? 0x7b : 0x7f;
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content];
}

function unsigned(value: number): number[] {
  const low = value & 0x7f;
  return value < 0x80 ? [low] : [low | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): number[] {
  const low = value & 0x7f;
  const isLast = value >= -64 && value < 64;
  return isLast ? [low] : [low | 0x80, ...signed(value >> 7)];
}

if (import.meta.main) {
  const folder = join(import.meta.dirname, '../src/files/text');
  const lines = assemble(readFileSync(join(folder, 'tally.wat'), 'utf8'))
    .toString('base64')
    .match(/.{1,100}/g);
  const quoted = (lines ?? []).map((line) => `  '${line}'`).join(' +\n');
  writeFileSync(
    join(folder, 'tally-program.ts'),
    `/** \`tally.wat\`, assembled by \`node scripts/wat.ts\`. */\nexport const tallyProgram =\n${quoted};\n`,
  );
}
