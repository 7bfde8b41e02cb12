import type { FetchedPage, ReadablePage } from '../../contract/capabilities/network.ts';

/** The picture, if the body is of a kind that clients show. Determined by the bytes, not the header. */
export function readableImage({ body, truncated }: FetchedPage): ReadablePage | undefined {
  const kind = kinds.find(({ magic }) => magic.test(body.toString('latin1', 0, 16)));
  // A truncated picture is unusable.
  if (!kind || truncated) return undefined;
  return { text: '', image: { data: body.toString('base64'), mimeType: kind.mimeType } };
}

const kinds: readonly { readonly mimeType: string; readonly magic: RegExp }[] = [
  { mimeType: 'image/png', magic: /^\x89PNG\r\n\x1a\n/ },
  { mimeType: 'image/jpeg', magic: /^\xff\xd8\xff/ },
  { mimeType: 'image/gif', magic: /^GIF8[79]a/ },
  { mimeType: 'image/webp', magic: /^RIFF[\s\S]{4}WEBP/ },
];
