import { ConfigError } from '../contract/error.ts';
import type { Engine } from './engine.ts';

export async function openPostgres(_url: string): Promise<Engine> {
  throw new ConfigError('store.url: PostgreSQL is not served yet');
}
