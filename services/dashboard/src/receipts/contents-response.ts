import type { RequestContentsMessage, StoredBodyMessage } from '@model-gateway/contracts';
import type { ContentsResponse, ShownBody } from '../../wire/contents.ts';

export function toContentsResponse(message: RequestContentsMessage): ContentsResponse {
  const { expiresAtMs, path, request, response, status } = message;
  return {
    ...{ path, status },
    expiresAtMs: Number(expiresAtMs),
    request: toBody(request),
    response: toBody(response),
  };
}

function toBody(message: StoredBodyMessage | null): ShownBody {
  if (message === null) throw new Error('the control plane sent contents without a body');
  const { bytes, contentType, cut, text } = message;
  return { contentType, bytes: Number(bytes), text: text ?? null, cut };
}
