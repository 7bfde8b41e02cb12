import { expect, test } from 'vitest';
import { schemaProblem } from './schema.ts';

const role = {
  type: 'object',
  properties: { role: { type: 'string', enum: ['viewer', 'editor'] }, count: { type: ['integer', 'null'] } },
  required: ['role'],
};

test.each<[unknown, string, string]>([
  [{}, 'role', 'is required'],
  [{ role: ['viewer', 'admin'] }, 'role', 'must be of type string'],
  [{ role: 'admin' }, 'role', 'must be one of "viewer", "editor"'],
  [{ role: 'viewer', count: 1.5 }, 'count', 'must be of type integer | null'],
  [{ role: 'viewer', __exec: 'x' }, '__exec', 'is not an argument of this tool; it has role, count'],
])('%j is refused at %s', (input, field, words) => {
  const problem = schemaProblem(input, role);
  expect(problem?.field).toBe(field);
  expect(problem?.message.en).toContain(words);
});

test('what a list or an object inside holds is looked at as well', () => {
  const schema = {
    type: 'object',
    properties: { to: { type: 'array', items: { type: 'object', properties: { id: { type: 'number' } } } } },
  };
  expect(schemaProblem({ to: [{ id: 1, more: true }] }, schema)).toBeUndefined();
  expect(schemaProblem({ to: [{ id: 1 }, { id: 'x' }] }, schema)?.field).toBe('to.1.id');
});

test.each<[string, object]>([
  ['names no argument', { type: 'object' }],
  ['takes others', { type: 'object', properties: { a: {} }, additionalProperties: true }],
  ['takes others by a pattern', { type: 'object', properties: { a: {} }, patternProperties: { '^x': {} } }],
  ['combines others', { type: 'object', properties: { a: {} }, anyOf: [{ required: ['b'] }] }],
  ['is of a type that we do not know', { type: 'object', properties: { b: { type: 'date' } } }],
  ['is no schema', { properties: { b: true } }],
])('a schema that %s refuses nothing', (_, schema) => {
  expect(schemaProblem({ b: 'x' }, schema)).toBeUndefined();
});

test('a long list of choices is written once, however many values are held against it', () => {
  const choices = Array.from({ length: 20_000 }, (_, at) => `choice ${at}`);
  const schema = { properties: { all: { items: { enum: choices } } } };
  const before = process.cpuUsage();
  expect(schemaProblem({ all: choices }, schema)).toBeUndefined();
  expect(schemaProblem({ all: [...choices, 'none'] }, schema)).toMatchObject({ field: 'all.20000' });
  // Each against each took minutes.
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
});
