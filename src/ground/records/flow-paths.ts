import type { FlowPath } from '../../contract/flow.ts';

/** The flow paths among a record's facts; empty if there are none, or they have another form. */
export function flowPathsIn(facts: Readonly<Record<string, unknown>> | undefined): readonly FlowPath[] {
  const { targets } = fieldsOf(facts?.flow);
  return Array.isArray(targets) ? targets.map(pathOf) : [];
}

function pathOf(target: unknown): FlowPath {
  const { value, argument, why, source, line } = fieldsOf(target);
  const { tool, place, atMs } = fieldsOf(source);
  const isKnown = typeof tool === 'string' && atMs !== 0;
  return {
    value: String(value ?? ''),
    argument: String(argument ?? ''),
    why: String(why ?? ''),
    ...(isKnown && { from: { tool, place: String(place ?? ''), line: typeof line === 'number' ? line : 1 } }),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
