import type { IncomingHttpHeaders } from 'node:http';
import type { ChatCompletionsRequest } from '@model-gateway/shared';
import type { Dispatcher } from 'undici';
import type { RoutedUpstream } from '../catalog/model-table.ts';
import { editJson } from '../json/edit-json.ts';
import { ClientGone, type Exchange, type UpstreamAttempt } from '../request-record.ts';
import { parseCompletion } from '../upstream/chat-answer.ts';
import { ChatMeter } from '../upstream/chat-usage.ts';
import { badGateway, errorForAnswer, upstreamTimeout } from '../upstream/provider-errors.ts';
import { providerHeaders } from '../upstream/provider-headers.ts';
import type { ProviderPools } from '../upstream/provider-pools.ts';
import { removeCredential, secretRedactor } from '../upstream/redact.ts';
import { relayChatStream, type StreamTimings } from '../upstream/relay-chat-stream.ts';
import { UpstreamCall } from '../upstream/upstream-call.ts';
import type { JsonBody } from './read-json-body.ts';

/** The path below a provider's base URL: a constant, never the client's. */
const CHAT_PATH = '/chat/completions';
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;

export interface ForwardContext {
  pools: ProviderPools;
  credential: (environmentVariable: string) => string | undefined;
  streamTimings: StreamTimings;
}

/**
 * Sends the request to the provider and its answer to the client. Sets `record.attempt`, `usage` and `outcome`.
 *
 * @throws GatewayError as the wire format's table of errors says; ClientGone
 */
export async function forwardChat(
  context: ForwardContext,
  exchange: Exchange,
  upstream: RoutedUpstream,
  body: JsonBody<ChatCompletionsRequest>,
): Promise<void> {
  const { record, res } = exchange;
  exchange.stop.signal.throwIfAborted();
  const { provider } = upstream;
  const attempt: UpstreamAttempt = {
    providerId: provider.id,
    upstreamModel: upstream.model,
    startedAtMs: performance.now(),
  };
  record.attempt = attempt;
  const modelId = record.model?.id ?? body.value.model;
  res.setHeader('x-gateway-model', modelId);
  const credential =
    provider.credentialEnv === undefined ? undefined : context.credential(provider.credentialEnv);
  const meter = new ChatMeter(body.value);
  const call = new UpstreamCall(exchange.stop.signal);
  const clean = (text: string) => removeCredential(text, credential);
  const { timeouts } = provider;
  try {
    limitWait(call, record.streamed, timeouts);
    const response = await call.send(context.pools.get(provider), {
      path: new URL(provider.baseUrl).pathname.replace(/\/$/, '') + CHAT_PATH,
      headers: providerHeaders({
        provider,
        credential,
        accept: record.streamed ? 'text/event-stream' : 'application/json',
        req: exchange.req,
      }),
      body: providerBody(body, upstream.model, record.streamed),
    });
    attempt.httpStatus = response.statusCode;
    attempt.providerRequestId = headerText(response.headers, 'x-request-id')?.slice(0, 200);
    await checkStatus(call, response, secretRedactor(credential));
    if (record.streamed) {
      requireEventStream(response.headers);
      await relayChatStream({
        exchange,
        call,
        attempt,
        body: response.body,
        meter,
        modelId,
        includeUsage: body.value.stream_options?.include_usage === true,
        idleMs: timeouts.idleMs,
        timings: context.streamTimings,
        headers: () => streamHeaders(exchange, attempt),
        clean,
      });
    } else {
      const answer = parseCompletion(await call.readText(response.body, MAX_ANSWER_BYTES));
      attempt.firstByteAtMs = performance.now();
      attempt.endedAtMs = attempt.firstByteAtMs;
      meter.report(answer.usage);
      meter.deliver(answer.choices);
      const text = clean(JSON.stringify({ ...answer, model: modelId }));
      res.writeHead(200, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(text),
        'x-gateway-overhead-ms': overheadMs(exchange, attempt),
      });
      res.end(text);
    }
    record.outcome = 'completed';
    record.usage = meter.usage();
    call.close(true);
  } catch (failure) {
    record.outcome =
      failure instanceof ClientGone ? 'client_gone' : exchange.stop.signal.aborted ? 'cut' : 'failed';
    // What had been delivered before the end was consumed all the same.
    if (res.headersSent) record.usage = meter.usage();
    else res.setHeader('x-gateway-overhead-ms', overheadMs(exchange, attempt));
    call.close(false);
    throw failure;
  } finally {
    attempt.endedAtMs ??= performance.now();
  }
}

/** What the provider gets: its own model name, no `notre`, usage always asked for; all else as it was sent. */
function providerBody(body: JsonBody<ChatCompletionsRequest>, model: string, streamed: boolean): string {
  const streamOptions = streamed ? { ...body.value.stream_options, include_usage: true } : undefined;
  return editJson(body.text, body.members, {
    model: JSON.stringify(model),
    notre: undefined,
    ...(streamOptions === undefined ? {} : { stream_options: JSON.stringify(streamOptions) }),
  });
}

function limitWait(
  call: UpstreamCall,
  streamed: boolean,
  timeouts: RoutedUpstream['provider']['timeouts'],
): void {
  if (streamed)
    call.limit(timeouts.firstByteMs, () => upstreamTimeout('the first event', timeouts.firstByteMs));
  else call.limit(timeouts.totalMs, () => upstreamTimeout('the answer', timeouts.totalMs));
}

async function checkStatus(
  call: UpstreamCall,
  response: Dispatcher.ResponseData,
  redact: (text: string) => string,
): Promise<void> {
  if (response.statusCode === 200) return;
  const bodyText = await call.readText(response.body, MAX_ERROR_BYTES);
  const retryAfter = headerText(response.headers, 'retry-after');
  throw errorForAnswer({ status: response.statusCode, retryAfter, bodyText }, redact);
}

function requireEventStream(headers: IncomingHttpHeaders): void {
  const contentType = headerText(headers, 'content-type') ?? 'nothing';
  if (/^text\/event-stream\b/i.test(contentType)) return;
  throw badGateway(
    new Error(`the provider answered ${contentType.slice(0, 100)} instead of an event stream`),
  );
}

function streamHeaders(exchange: Exchange, attempt: UpstreamAttempt): Record<string, string> {
  return {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'x-gateway-overhead-ms': overheadMs(exchange, attempt),
  };
}

/** Time spent in the gateway so far, the wait for the provider excluded. */
function overheadMs(exchange: Exchange, attempt: UpstreamAttempt): string {
  const now = performance.now();
  const waited = (attempt.firstByteAtMs ?? now) - attempt.startedAtMs;
  return Math.max(0, now - exchange.record.startedAtMs - waited).toFixed(2);
}

function headerText(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}
