import type { ServerResponse } from 'node:http';
import { unframed } from './chunked-writes.ts';

export interface ResponseTap {
  /** Gets each piece of the body before it is written, without framing. */
  add(piece: Buffer): void;
  /** Called instead of the end of the response, which `end` then sends. Left out: it ends at once. */
  onEnd?: (end: () => void) => void;
  /** Returns true if further pieces are wanted although the connection is closed. */
  outlivesClient?: () => boolean;
}

/** Taps what is written to a response from now on. */
export function tapResponse(res: ServerResponse, { add, outlivesClient, onEnd }: ResponseTap): void {
  const { end, flushHeaders, write } = res;
  /** True if Node would have framed the chunks. */
  let isChunked = false;
  const tap = (chunk: unknown, encoding: unknown) => {
    if (Buffer.isBuffer(chunk)) add(chunk);
    if (typeof chunk !== 'string') return;
    const text = isChunked && !res.chunkedEncoding ? unframed(chunk) : chunk;
    add(Buffer.from(text, encoding === 'latin1' ? 'latin1' : 'utf8'));
  };
  res.flushHeaders = () => {
    Reflect.apply(flushHeaders, res, []);
    isChunked = res.chunkedEncoding;
  };
  res.write = (chunk: unknown, ...rest: unknown[]): boolean => {
    tap(chunk, rest[0]);
    const isTaken: boolean = Reflect.apply(write, res, [chunk, ...rest]);
    return isTaken || (res.destroyed && outlivesClient?.() === true);
  };
  res.end = (chunk?: unknown, ...rest: unknown[]): ServerResponse => {
    tap(chunk, rest[0]);
    const endNow = () => {
      Reflect.apply(end, res, [chunk, ...rest]);
    };
    if (onEnd === undefined) endNow();
    else onEnd(endNow);
    return res;
  };
}
