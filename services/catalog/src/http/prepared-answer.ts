import { createHash } from 'node:crypto';

/** A body as it is sent, and its ETag, which is the same in every process that serves the same content. */
export interface PreparedAnswer {
  body: Buffer;
  etag: string;
}

export function prepareAnswer(content: string | Buffer): PreparedAnswer {
  const body = Buffer.from(content);
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"` };
}
