import type { Request, Response } from 'express';
import type { PreparedAnswer, Representation } from './prepared-answer.ts';

export interface AnswerHead {
  contentType: string;
  cacheControl: string;
  /** Headers of the request, besides Accept-Encoding, on which the answer depends. */
  dependsOn?: readonly string[];
}

/** Sends an answer with its ETag, compressed where the client takes it. One that it already has gets a 304. */
export function sendAnswer(
  req: Request,
  res: Response,
  answer: PreparedAnswer,
  { contentType, cacheControl, dependsOn = [] }: AnswerHead,
): void {
  const choice = choiceFor(req, answer);
  const known = choice.find(({ etag }) => matchesEtag(req.headers['if-none-match'], etag));
  const [{ body, etag, encoding }] = choice;
  res.setHeader('etag', known?.etag ?? etag);
  res.setHeader('cache-control', cacheControl);
  res.setHeader('vary', [...dependsOn, 'Accept-Encoding'].join(', '));
  if (known !== undefined) {
    res.writeHead(304).end();
    return;
  }
  res.writeHead(200, {
    'content-type': contentType,
    ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
    'content-length': body.length,
  });
  res.end(body);
}

/** The representations that a client takes, the best first. A client that takes none gets the plain one. */
function choiceFor(req: Request, answer: PreparedAnswer): [Representation, ...Representation[]] {
  if (req.acceptsEncodings(['gzip', 'identity']) !== 'gzip') return [answer];
  const gzipped = answer.gzipped();
  if (gzipped === undefined) return [answer];
  return req.acceptsEncodings('identity') === 'identity' ? [gzipped, answer] : [gzipped];
}

/** Compares an If-None-Match header with an ETag, weakly (RFC 9110, section 13.1.2). */
function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((entry) => entry.trim() === '*' || entry.trim().replace(/^W\//, '') === etag);
}
