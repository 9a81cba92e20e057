import { causedByRequest } from '@model-gateway/dialects';
import { badGateway } from '@model-gateway/shared/errors';
import type { UpstreamAnswer } from './upstream-answer.ts';

/** @throws GatewayError 502 for another content type */
export function requireEventStream(answer: UpstreamAnswer, contentTypes: RegExp): void {
  if (contentTypes.test(answer.headers['content-type'] ?? '')) return;
  const contentType = String(answer.headers['content-type'] ?? 'nothing');
  const message = `the provider answered ${contentType.slice(0, 100)} instead of an event stream`;
  // Some providers reject a request with 200 and JSON.
  const isJson = /^application\/json\b/i.test(contentType);
  throw isJson ? causedByRequest(message) : badGateway(new Error(message));
}
