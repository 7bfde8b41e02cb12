import type { Dialect } from './dialect.ts';
import { grpc, jsonRpc, websocket } from './dialects/calls.ts';
import { chat } from './dialects/chat.ts';
import { containers } from './dialects/containers.ts';
import { crates } from './dialects/crates.ts';
import { gems } from './dialects/gems.ts';
import { git } from './dialects/git.ts';
import { github } from './dialects/github.ts';
import { gitlab } from './dialects/gitlab.ts';
import { go } from './dialects/go.ts';
import { graphqlByGet } from './dialects/graphql-rows.ts';
import { maven } from './dialects/maven.ts';
import { npm } from './dialects/npm.ts';
import { pypi } from './dialects/pypi.ts';
import { s3 } from './dialects/s3.ts';

/** Protocols of known hosts; each is asked before the next. A new one is added here. */
export const dialects: readonly Dialect[] = [
  git,
  npm,
  pypi,
  crates,
  go,
  gems,
  maven,
  containers,
  github,
  gitlab,
  s3,
  chat,
  jsonRpc,
];

/** Protocols that a request to any host may switch to, judged before its own. */
export const everywhere: readonly Dialect[] = [websocket, grpc, graphqlByGet];
