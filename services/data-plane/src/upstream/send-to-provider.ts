import type { IncomingHttpHeaders } from 'node:http';
import type { Exchange } from '../request-record.ts';
import type { CapabilityCall, ProviderAttempt } from './capability-call.ts';
import { errorForAnswer, upstreamTimeout } from './provider-errors.ts';
import { providerHeaders } from './provider-headers.ts';
import type { ProviderPools } from './provider-pools.ts';
import { secretRedactor } from './redact.ts';
import type { UpstreamAnswer } from './upstream-answer.ts';

const MAX_ERROR_BYTES = 64 * 1024;
/** A provider that has answered with an error status gets this long to say why. */
const ERROR_BODY_MS = 2_000;

/**
 * @returns the provider's answer once it has said 200
 * @throws GatewayError for any other status, a failing connection, or no answer in time
 */
export async function sendToProvider(
  pools: ProviderPools,
  { req }: Exchange,
  current: ProviderAttempt,
  request: CapabilityCall,
): Promise<UpstreamAnswer> {
  const { attempt, call, credential, provider } = current;
  const { firstByteMs, totalMs } = provider.timeouts;
  if (request.streamed) call.limit(firstByteMs, () => upstreamTimeout('the first event', firstByteMs));
  else call.limit(totalMs, () => upstreamTimeout('the answer', totalMs));
  const { content, contentType, length } = request.body(attempt.upstreamModel, call);
  const answer = await call.send(pools.get(provider), {
    path: provider.pathPrefix + request.path,
    headers: providerHeaders({ provider, credential, accept: request.accept, contentType, length, req }),
    body: content,
  });
  attempt.httpStatus = answer.statusCode;
  attempt.providerRequestId = headerText(answer.headers, 'x-request-id')?.slice(0, 200);
  if (answer.statusCode !== 200) throw await rejection(current, answer);
  return answer;
}

async function rejection(
  { call, credential }: ProviderAttempt,
  { headers, statusCode: status }: UpstreamAnswer,
): Promise<unknown> {
  const retryAfter = headerText(headers, 'retry-after');
  const error = (bodyText: string) =>
    errorForAnswer({ status, retryAfter, bodyText }, secretRedactor(credential));
  call.limit(ERROR_BODY_MS, () => error(''));
  return error((await call.readBytes(MAX_ERROR_BYTES)).toString());
}

function headerText(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}
