import { omitAbsent } from '../omit-absent.ts';
import type { StoredBody } from './stored-contents.ts';
import type { ViewedContents } from './view-contents.ts';

export function contentsMessage(viewed: ViewedContents) {
  const { expiresAt, path, request, requestId, response, status, storedAt } = viewed;
  return {
    requestId,
    path,
    status,
    storedAtMs: storedAt.getTime(),
    expiresAtMs: expiresAt.getTime(),
    request: bodyMessage(request),
    response: bodyMessage(response),
  };
}

function bodyMessage({ bytes, content_type: contentType, cut, text }: StoredBody) {
  return { contentType, bytes, cut, ...omitAbsent({ text }) };
}
