import type { ServerResponse } from 'node:http';
import type { FormField, WholeFile } from '@model-gateway/dialects';
import { loggedStatus } from '../http/access-log.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { tapResponse } from '../http/tap-response.ts';
import { BodyCopy, type CopyMemory } from './body-copy.ts';
import type { ContentsReports } from './contents-reports.ts';

export interface CopyContext {
  contentsReports: ContentsReports;
}

/**
 * Copies the body of a request, and the bytes of its response as they are sent. Hands both over when the
 * exchange ends, if a provider was called: only then there is a receipt.
 */
export function copyContents(
  context: CopyContext,
  exchange: AuthenticatedExchange,
  chunks: readonly Buffer[],
): void {
  const { contentsReports: reports } = context;
  const request = new BodyCopy('application/json', reports);
  for (const chunk of chunks) request.add(chunk);
  reportAtEnd(reports, exchange, () => request);
}

/** Does the same for a form: its fields, its size, and the types of its files. */
export function copyForm(
  { contentsReports: reports }: CopyContext,
  exchange: AuthenticatedExchange,
  form: { fields: readonly FormField[]; files: readonly Pick<WholeFile, 'field' | 'mimeType'>[] },
): void {
  reportAtEnd(reports, exchange, () => {
    // Fields may follow the file.
    const parts = new Map(form.fields.map(({ name, value }) => [name, value]));
    for (const { field, mimeType } of form.files) parts.set(field, `${parts.get(field) ?? ''}[${mimeType}]`);
    const text = JSON.stringify(Object.fromEntries(parts));
    const copy = new BodyCopy('multipart/form-data', reports);
    copy.add(Buffer.from(text), Number(exchange.req.headers['content-length'] ?? text.length));
    return copy;
  });
}

function reportAtEnd(
  reports: ContentsReports,
  exchange: AuthenticatedExchange,
  requestCopy: () => BodyCopy,
): void {
  const { record, res } = exchange;
  const responseCopy = copyResponse(res, reports);
  exchange.ends.push(() => {
    const request = requestCopy();
    const response = responseCopy();
    const heldBytes = request.heldBytes + response.heldBytes;
    const { contentsKeyId } = record.key;
    if (record.isServed !== true || request.isLost || response.isLost || contentsKeyId === undefined) {
      request.drop();
      response.drop();
      if (record.isServed === true) reports.countLost();
      return;
    }
    const bodies = { request: request.end(), response: response.end() };
    if (record.trace !== undefined) record.trace.bodies = bodies;
    const status = loggedStatus(exchange);
    reports.add({ contentsKeyId, requestId: record.id, path: record.route, status, ...bodies }, heldBytes);
  });
}

/** Copies what is written to a response from now on. @returns a function that returns the copy */
function copyResponse(res: ServerResponse, memory: CopyMemory): () => BodyCopy {
  let copy: BodyCopy | undefined;
  const copyOf = () => {
    copy ??= new BodyCopy(String(res.getHeader('content-type') ?? ''), memory);
    return copy;
  };
  tapResponse(res, {
    // Nobody gets what is written after the client has left.
    add: (piece) => res.destroyed || copyOf().add(piece),
  });
  return copyOf;
}
