import { Readable } from 'node:stream';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  NoSuchKey,
  NotFound,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { SharedContents } from '../../contract/capabilities/history.ts';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { once } from '../../ground/waiting/once.ts';
import { createSemaphore } from '../../ground/waiting/semaphore.ts';

/** Contents in a bucket of Amazon S3 or a compatible server, beside the folder of the machine. */
export interface Bucket extends SharedContents {
  /** Throws the reason if it cannot be read. */
  probe(): Promise<void>;
}

/**
 * `s3://BUCKET` or `s3://BUCKET/PREFIX`. Credentials, region and endpoint are found as by Amazon's clients (`AWS_*`
 * variables, `~/.aws`, the role of a machine or pod). Failures are `unavailable`, with their cause for the log.
 */
export function openBucket(url: string): Bucket {
  const { Bucket, prefix } = placeOf(url);
  const open = once(async () => new S3Client(optionsFrom(process.env)));
  const keyOf = (digest: string) => `${prefix}${digest}`;

  async function asked<T>(work: (client: S3Client) => Promise<T>): Promise<T> {
    try {
      return await work(await open());
    } catch (error) {
      throw unavailable(error);
    }
  }

  const looks = createSemaphore(16);

  async function isOlder(client: S3Client, Key: string, beforeMs: number): Promise<boolean> {
    const done = await looks.acquire();
    try {
      const { LastModified } = await client.send(new HeadObjectCommand({ Bucket, Key }));
      return LastModified !== undefined && LastModified.getTime() <= beforeMs;
    } catch (error) {
      if (error instanceof NotFound) return false;
      throw error;
    } finally {
      done();
    }
  }

  return {
    isFar: true,
    async probe() {
      const client = await open();
      await client.send(new HeadBucketCommand({ Bucket }));
    },
    // Existing contents are sent again: checking costs as much, and now they are too recent to be removed.
    put: (digest, parts) =>
      asked(async (client) => {
        const upload = new Upload({
          client,
          params: { Bucket, Key: keyOf(digest), Body: Readable.from(parts, { objectMode: false }) },
        });
        await upload.done();
      }),
    read: (digest) =>
      asked(async (client) => {
        try {
          const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: keyOf(digest) }));
          return Body && Buffer.from(await Body.transformToByteArray());
        } catch (error) {
          if (error instanceof NoSuchKey) return undefined;
          throw error;
        }
      }),
    all: () =>
      asked(async (client) => {
        const found: { digest: string; bytes: number; modifiedMs: number }[] = [];
        for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix: prefix })) {
          for (const { Key = '', Size = 0, LastModified } of Contents) {
            const digest = Key.slice(prefix.length);
            // The bucket may contain objects of others.
            if (/^[0-9a-f]{64}$/.test(digest) && LastModified)
              found.push({ digest, bytes: Size, modifiedMs: LastModified.getTime() });
          }
        }
        return found;
      }),
    remove: (digests, beforeMs) =>
      asked(async (client) => {
        for (let at = 0; at < digests.length; at += together) {
          const keys = digests.slice(at, at + together).map(keyOf);
          const older = await Promise.all(keys.map((Key) => isOlder(client, Key, beforeMs)));
          const Objects = keys.filter((_, place) => older[place]).map((Key) => ({ Key }));
          if (Objects.length > 0)
            await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
        }
      }),
  };
}

/** The maximum of one delete request. */
const together = 1000;

function placeOf(url: string): { readonly Bucket: string; readonly prefix: string } {
  const { hostname, pathname } = new URL(url);
  const path = decodeURIComponent(pathname).replace(/^\/|\/$/g, '');
  return { Bucket: hostname, prefix: path === '' ? '' : `${path}/` };
}

function optionsFrom(environment: NodeJS.ProcessEnv) {
  const isOther = Boolean(environment.AWS_ENDPOINT_URL_S3 ?? environment.AWS_ENDPOINT_URL);
  const region =
    environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION ?? (isOther ? 'us-east-1' : undefined);
  return {
    ...(region !== undefined && { region }),
    // Servers other than Amazon's rarely support a host name per bucket, or checksum headers.
    forcePathStyle: isOther,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 30_000 },
  } as const;
}

function unavailable(cause: unknown): ToolError {
  return new ToolError(
    'unavailable',
    'The bucket that keeps what files held before they were changed cannot be reached now.',
    '変更前のファイルの内容を保存するバケットに、現在接続できません。',
    {
      suggestion: text(
        'Try again in a moment; if this persists, the operator can find the reason in the log and with sekisho doctor.',
        '少し待って再試行してください。続く場合は、運用者がログと sekisho doctor で原因を確認できます。',
      ),
      cause,
    },
  );
}
