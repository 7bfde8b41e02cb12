import type { Context } from 'hono';
import type { Acts } from '../../contract/operator.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import type { PageContext } from '../pages/page-context.ts';

/** The acts of the person that sent this request; each is recorded where it is performed. */
export async function actsOf(
  context: Context<PageContext>,
  dependencies: ConsoleDependencies,
): Promise<Acts> {
  return (await dependencies.operator()).as(context.get('view').person);
}
