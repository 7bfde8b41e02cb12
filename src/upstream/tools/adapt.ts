import type { ToolOutput } from '../../contract/call.ts';
import { cleanLine, cleanText } from '../../contract/text/clean-text.ts';
import { type Text, text, verbatim } from '../../contract/text/text.ts';
import type { BaseContext, CheckedInput, InputProblem, Tool } from '../../contract/tool/tool.ts';
import type { Annotations, JsonSchema } from '../../contract/tool/tool-card.ts';
import { withoutNulls } from '../../contract/tool/without-nulls.ts';
import type { ServerSettings } from '../../contract/upstream.ts';
import { cleanWords } from '../requests/words.ts';
import { definitionDigest, type RemoteTool } from './definition.ts';
import { schemaProblem } from './schema.ts';

/** Some clients cut descriptions at 2 KB; cutting here marks the cut. */
const maxDescriptionChars = 1900;
const maxTitleChars = 120;

/** Calls an adapted tool. Contains the digest of the definition that was shown, which must still be current. */
export type CallRemote = (
  remote: { readonly name: string; readonly digest: string; readonly hasOutputSchema: boolean },
  input: Readonly<Record<string, unknown>>,
  context: BaseContext,
) => Promise<ToolOutput>;

/** A server's tool as one of our tools. Nothing that it says about itself gives it more rights. */
export function adaptTool(
  shownName: string,
  remote: RemoteTool,
  settings: ServerSettings,
  call: CallRemote,
  unavailable: () => Text | undefined,
): Tool {
  const { name: server } = settings;
  const override = settings.tools.get(remote.name);
  const digest = definitionDigest(remote);
  const annotations = annotationsOf(remote, settings);
  const flow = override?.flow ?? settings.flow;
  const asks = (override?.ask ?? settings.ask !== 'never') && !annotations.readOnly;
  const inputSchema = cleanWords({ ...remote.inputSchema, type: 'object' }) as JsonSchema;
  const outputSchema = remote.outputSchema && (cleanWords(remote.outputSchema) as JsonSchema);
  const described = override?.description ?? remote.description ?? '';

  return {
    name: shownName,
    toolset: `server:${server}`,
    category: server,
    title: verbatim(titleOf(remote)),
    description: verbatim(cut(cleanText(described), maxDescriptionChars)),
    permission: 'authenticated',
    agentsOnly: false,
    unlisted: false,
    annotations,
    uses: [],
    inputSchema: () => inputSchema,
    outputSchema: () => outputSchema,
    example: {},
    secrets: [],
    check: (input) => checkInput(input, remote.inputSchema),
    ...(asks && {
      risk: async () => ({
        ask: text(
          `it is a tool of the server "${server}" and may change things`,
          `サーバー「${server}」のツールで、変更を伴う可能性があります`,
        ),
      }),
    }),
    // `check` accepts only objects.
    run: (input, context) =>
      call(
        { name: remote.name, digest, hasOutputSchema: remote.outputSchema !== undefined },
        input as Readonly<Record<string, unknown>>,
        context,
      ),
    server,
    identity: `${server}/${remote.name}@${digest}`,
    flow,
    roles: settings.roles,
    get unavailable() {
      return unavailable();
    },
  };
}

/** The most dangerous value of each, unless the operator sets another or trusts the server. */
function annotationsOf(remote: RemoteTool, settings: ServerSettings): Annotations {
  const said = settings.trustAnnotations ? (remote.annotations ?? {}) : {};
  const word = settings.tools.get(remote.name);
  const flag = (own: boolean | undefined, hint: unknown, otherwise: boolean): boolean =>
    own ?? (typeof hint === 'boolean' ? hint : otherwise);
  const readOnly = flag(word?.readOnly, said.readOnlyHint, false);
  return {
    readOnly,
    destructive: flag(word?.destructive, said.destructiveHint, !readOnly),
    idempotent: flag(word?.idempotent, said.idempotentHint, false),
    openWorld: flag(word?.openWorld, said.openWorldHint, true),
  };
}

function titleOf({ title, annotations, name }: RemoteTool): string {
  const said = title ?? (typeof annotations?.title === 'string' ? annotations.title : undefined) ?? name;
  return cut(cleanLine(said), maxTitleChars);
}

/** Checks the input against the whole schema that the model was shown; drops nulls of optional arguments. */
function checkInput(input: unknown, schema: Readonly<Record<string, unknown>>): CheckedInput | InputProblem {
  const given = input ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) {
    return { ok: false, field: '', message: text('must be an object', 'オブジェクトでなければなりません') };
  }
  const required = Array.isArray(schema.required) ? schema.required : [];
  const properties = Object.entries((schema.properties ?? {}) as Readonly<Record<string, unknown>>);
  const plain = properties.filter(([name, property]) => !required.includes(name) && refusesNull(property));
  const kept =
    withoutNulls(
      given,
      plain.map(([name]) => [name]),
    ) ?? given;
  const problem = schemaProblem(kept, schema);
  return problem ? { ok: false, ...problem } : { ok: true, input: kept };
}

/** Whether it certainly rejects null; a schema of another form may accept it. */
function refusesNull(property: unknown): boolean {
  const { type } = Object(property) as { readonly type?: unknown };
  return typeof type === 'string' && type !== 'null';
}

function cut(words: string, maxChars: number): string {
  return words.length <= maxChars ? words : `${words.slice(0, maxChars)}…`;
}
