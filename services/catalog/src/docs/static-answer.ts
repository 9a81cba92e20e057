import type { IncomingMessage, ServerResponse } from 'node:http';
import { type PreparedAnswer, prepareAnswer } from '../http/prepared-answer.ts';
import { matchesEtag } from '../http/send-cached.ts';

/** Content that does not change while the process runs. */
export interface StaticContent {
  contentType: string;
  /** How long a client may use its copy without asking again. */
  maxAgeSeconds: number;
  /** Called once, at the first request. */
  load: () => string | Buffer;
  headers?: Record<string, string>;
}

/** Serves the content with an ETag. A client that already has it gets a 304 without a body. */
export function staticAnswer({ contentType, maxAgeSeconds, load, headers }: StaticContent) {
  let loaded: PreparedAnswer | undefined;
  return (req: IncomingMessage, res: ServerResponse): void => {
    loaded ??= prepareAnswer(load());
    const { body, etag } = loaded;
    const always = {
      etag,
      'cache-control': `public, max-age=${maxAgeSeconds}`,
      'x-content-type-options': 'nosniff',
      ...headers,
    };
    if (matchesEtag(req.headers['if-none-match'], etag)) {
      res.writeHead(304, always).end();
      return;
    }
    res.writeHead(200, { ...always, 'content-type': contentType, 'content-length': body.length });
    res.end(body);
  };
}
