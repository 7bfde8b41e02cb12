import type { Context, Hono } from 'hono';
import type { ChallengePurpose } from '../../contract/people/passkey.ts';
import { cleanLine } from '../../contract/text/clean-text.ts';
import { cookieOf, csrfOf, sessionCookieName } from '../cookies.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { addAct, fieldOf, goBack, type PageContext, problem } from '../pages/page-context.ts';
import { assertionOptions, proven, registered, registrationOptions } from '../passkeys/ceremony.ts';
import { needsUnlock } from '../passkeys/needs-unlock.ts';
import { questionsIn } from './approvals.ts';

/** Registers and removes passkeys, and unlocks before an approval. The form's proof was checked before. */
export function addPasskeyRoutes(app: Hono<PageContext>, dependencies: ConsoleDependencies): void {
  app.post('/passkeys/options', async (context) =>
    context.json(
      await registrationOptions(
        context.req.raw,
        context.get('view').person,
        sessionOf(context),
        dependencies,
      ),
    ),
  );

  addAct(app, '/passkeys', '/notices', async (acts, context) => {
    const credential = (await fieldOf(context, 'credential')) ?? '';
    const made = await registered(context.req.raw, credential, sessionOf(context), dependencies);
    const begun = await (await dependencies.sessions()).origin(secretOf(context));
    if (!made || !begun) return 'noPasskey';
    const label = cleanLine((await fieldOf(context, 'label'))?.trim().slice(0, 60) || made.host);
    return (await acts.addPasskey({ ...made, ...begun, label })) ? 'passkeyAdded' : 'noPasskey';
  });

  addAct(app, '/passkeys/:id/remove', '/notices', async (acts, context) =>
    (await acts.removePasskey(context.req.param('id'))) ? 'passkeyRemoved' : 'gone',
  );

  addAct(app, '/halt', '/', async (acts) => {
    await acts.halt();
    return 'halted';
  });

  app.post('/resume/unlock', async (context) =>
    context.json(await assertionOptions(context.req.raw, { kind: 'resume' }, dependencies)),
  );

  app.post('/resume', async (context) => {
    const { person } = context.get('view');
    if (await needsUnlock(person, dependencies)) {
      const assertion = (await fieldOf(context, 'assertion')) ?? '';
      const owner = await proven(context.req.raw, assertion, { kind: 'resume' }, dependencies);
      if (owner?.person.principal !== person.principal) return problem(context, 'locked');
    }
    return goBack(context, (await context.get('acts').resume()) ? 'resumed' : 'nothing');
  });

  app.post('/approvals/:id/unlock', async (context) => {
    const answer = await fieldOf(context, 'answer');
    const purpose = answer === undefined ? undefined : await purposeOf(context, answer);
    if (!purpose) return context.notFound();
    return context.json(await assertionOptions(context.req.raw, purpose, dependencies));
  });

  // Registered before the answering route, whatever answers that takes: only a no passes without the device.
  app.use('/approvals/*', async (context, next) => {
    const { person } = context.get('view');
    const answer = await answerIn(context);
    if (answer === undefined || answer === 'deny' || !(await needsUnlock(person, dependencies)))
      return next();
    const purpose = await purposeOf(context, answer);
    const assertion = (await fieldOf(context, 'assertion')) ?? '';
    const owner = purpose && (await proven(context.req.raw, assertion, purpose, dependencies));
    if (owner?.person.principal === person.principal) return next();
    return problem(context, 'locked');
  });

  /** The purpose that a device signs: the address's question, or those of a group's form, each with its digest. */
  async function purposeOf(
    context: Context<PageContext>,
    answer: string,
  ): Promise<ChallengePurpose | undefined> {
    const id = context.req.path.split('/')[2] ?? '';
    const ids = id === 'answer' ? questionsIn(await fieldOf(context, 'ids')) : [id];
    const approvals = await dependencies.approvals();
    const records = await Promise.all(ids.map((each) => approvals.get(each)));
    const digests = records.flatMap((record) => (record ? [record.digest] : []));
    if (ids.length === 0 || digests.length < ids.length) return undefined;
    return { kind: 'answer', question: ids.join(' '), digest: digests.join(' '), answer };
  }
}

/** The answer in a form; undefined for a request without one. */
async function answerIn(context: Context<PageContext>): Promise<string | undefined> {
  if (context.req.method !== 'POST' || /\/(unlock|revoke)$/.test(context.req.path)) return undefined;
  return (await fieldOf(context, 'answer')) ?? '';
}

function secretOf(context: Context<PageContext>): string {
  const request = context.req.raw;
  return cookieOf(request, sessionCookieName(request)) ?? '';
}

/** Identifies the session without revealing its secret. */
function sessionOf(context: Context<PageContext>): string {
  return csrfOf(secretOf(context));
}
