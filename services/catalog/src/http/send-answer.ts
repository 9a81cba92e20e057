import type { Request, Response } from 'express';
import type { PreparedAnswer, Representation } from './prepared-answer.ts';

export interface AnswerHead {
  contentType: string;
  cacheControl: string;
  /** Headers of the request, besides Accept-Encoding, on which the answer depends. */
  dependsOn?: readonly string[];
}

/**
 * Sends an answer with its ETag, compressed where the client takes it. One that it already has gets a 304.
 */
export function sendAnswer(
  req: Request,
  res: Response,
  answer: PreparedAnswer,
  { contentType, cacheControl, dependsOn = [] }: AnswerHead,
): void {
  const takesGzip = req.acceptsEncodings(['gzip', 'identity']) === 'gzip';
  const takesPlain = !takesGzip || req.acceptsEncodings('identity') === 'identity';
  const { body, etag, encoding }: Representation = (takesGzip ? answer.gzipped() : undefined) ?? answer;
  // The client's copy may come from another process, which sends the same in the other form.
  const taken = [etag, ...(takesGzip ? [answer.gzippedEtag] : []), ...(takesPlain ? [answer.etag] : [])];
  const known = taken.find((each) => matchesEtag(req.headers['if-none-match'], each));
  res.setHeader('etag', known ?? etag);
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

/** Compares an If-None-Match header with an ETag, weakly (RFC 9110, section 13.1.2). */
function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((entry) => entry.trim() === '*' || entry.trim().replace(/^W\//, '') === etag);
}
