import type { IncomingHttpHeaders } from 'node:http';
import type { ChatCompletionsRequest } from '@model-gateway/shared';
import type { Dispatcher } from 'undici';
import type { RoutedProvider, RoutedUpstream } from '../catalog/model-table.ts';
import { editJson } from '../json/edit-json.ts';
import { ClientGone, type Exchange, type UpstreamAttempt, type UpstreamOutcome } from '../request-record.ts';
import { parseChatAnswer } from '../upstream/chat-answer.ts';
import { ChatMeter } from '../upstream/chat-usage.ts';
import { badGateway, errorForAnswer, upstreamTimeout } from '../upstream/provider-errors.ts';
import { providerHeaders } from '../upstream/provider-headers.ts';
import type { ProviderPools } from '../upstream/provider-pools.ts';
import { cleanAnswer, secretRedactor } from '../upstream/redact.ts';
import { ChatStreamRelay, type StreamTimings } from '../upstream/relay-chat-stream.ts';
import { UpstreamCall } from '../upstream/upstream-call.ts';
import type { JsonBody } from './read-json-body.ts';

/** The path below a provider's base URL: a constant, never the client's. */
const CHAT_PATH = '/chat/completions';
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;
/** A provider that has answered with an error status gets this long to say why. */
const ERROR_BODY_MS = 2_000;

export interface ForwardContext {
  pools: ProviderPools;
  credential: (environmentVariable: string) => string | undefined;
  streamTimings: StreamTimings;
}

/** One chat request on its way to one provider. */
interface ChatForward {
  exchange: Exchange;
  provider: RoutedProvider;
  attempt: UpstreamAttempt;
  call: UpstreamCall;
  meter: ChatMeter;
  modelId: string;
  credential: string | undefined;
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
  const { record, res, stop } = exchange;
  stop.signal.throwIfAborted();
  const forward = openForward(context, exchange, upstream, body);
  const { attempt, call, meter } = forward;
  const relay = record.streamed ? openRelay(context, forward, body) : undefined;
  try {
    const response = await send(context, forward, upstream.model, body);
    if (relay === undefined) await answerWhole(forward, response);
    else await relay.relay(response.body);
    record.outcome = 'completed';
    record.usage = meter.usage();
    call.close(true);
  } catch (thrown) {
    const failure = call.failure(thrown);
    record.outcome = outcomeOf(failure, exchange);
    // What was delivered before the end was consumed all the same.
    if (meter.hasDelivered) record.usage = meter.usage();
    if (!res.headersSent) res.setHeader('x-gateway-overhead-ms', overheadMs(exchange, attempt));
    relay?.fail(failure);
    call.close(false);
    throw failure;
  } finally {
    attempt.endedAtMs ??= performance.now();
  }
}

function openForward(
  context: ForwardContext,
  exchange: Exchange,
  { provider, model }: RoutedUpstream,
  body: JsonBody<ChatCompletionsRequest>,
): ChatForward {
  const { record, res, stop } = exchange;
  const attempt: UpstreamAttempt = {
    providerId: provider.id,
    upstreamModel: model,
    startedAtMs: performance.now(),
  };
  record.attempt = attempt;
  const modelId = record.model?.id ?? body.value.model;
  res.setHeader('x-gateway-model', modelId);
  return {
    exchange,
    provider,
    attempt,
    call: new UpstreamCall(stop.signal),
    meter: new ChatMeter(body.text),
    modelId,
    credential: provider.credentialEnv === undefined ? undefined : context.credential(provider.credentialEnv),
  };
}

function openRelay(
  context: ForwardContext,
  forward: ChatForward,
  body: JsonBody<ChatCompletionsRequest>,
): ChatStreamRelay {
  const { attempt, call, credential, exchange, meter, modelId, provider } = forward;
  return new ChatStreamRelay({
    exchange,
    call,
    attempt,
    meter,
    modelId,
    includeUsage: body.value.streamOptions.include_usage === true,
    idleMs: provider.timeouts.idleMs,
    timings: context.streamTimings,
    headers: () => ({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-gateway-overhead-ms': overheadMs(exchange, attempt),
    }),
    clean: (text) => cleanAnswer(text, credential),
  });
}

/** @returns the provider's answer once it has said 200, and for a stream that it is one */
async function send(
  context: ForwardContext,
  { attempt, call, credential, exchange, provider }: ChatForward,
  upstreamModel: string,
  body: JsonBody<ChatCompletionsRequest>,
): Promise<Dispatcher.ResponseData> {
  const { streamed } = exchange.record;
  const { firstByteMs, totalMs } = provider.timeouts;
  if (streamed) call.limit(firstByteMs, () => upstreamTimeout('the first event', firstByteMs));
  else call.limit(totalMs, () => upstreamTimeout('the answer', totalMs));
  const accept = streamed ? 'text/event-stream' : 'application/json';
  const response = await call.send(context.pools.get(provider), {
    path: new URL(provider.baseUrl).pathname.replace(/\/$/, '') + CHAT_PATH,
    headers: providerHeaders({ provider, credential, accept, req: exchange.req }),
    body: providerBody(body, upstreamModel, streamed),
  });
  attempt.httpStatus = response.statusCode;
  attempt.providerRequestId = headerText(response.headers, 'x-request-id')?.slice(0, 200);
  if (response.statusCode !== 200) throw await rejection(call, response, credential);
  if (streamed) requireEventStream(response.headers);
  return response;
}

/** What the provider gets: its own model name, no `notre`, usage always asked for; all else as it was sent. */
function providerBody(body: JsonBody<ChatCompletionsRequest>, model: string, streamed: boolean): string {
  const streamOptions = streamed ? { ...body.value.streamOptions, include_usage: true } : undefined;
  return editJson(body.text, body.members, {
    model: JSON.stringify(model),
    notre: undefined,
    ...(streamOptions === undefined ? {} : { stream_options: JSON.stringify(streamOptions) }),
  });
}

async function rejection(
  call: UpstreamCall,
  response: Dispatcher.ResponseData,
  credential: string | undefined,
): Promise<unknown> {
  const retryAfter = headerText(response.headers, 'retry-after');
  const answer = (bodyText: string) =>
    errorForAnswer({ status: response.statusCode, retryAfter, bodyText }, secretRedactor(credential));
  call.limit(ERROR_BODY_MS, () => answer(''));
  return answer(await call.readText(response.body, MAX_ERROR_BYTES));
}

function requireEventStream(headers: IncomingHttpHeaders): void {
  const contentType = headerText(headers, 'content-type') ?? 'nothing';
  if (/^text\/event-stream\b/i.test(contentType)) return;
  throw badGateway(
    new Error(`the provider answered ${contentType.slice(0, 100)} instead of an event stream`),
  );
}

/** An answer that is not streamed is read whole, so that a broken one never looks like a success. */
async function answerWhole(forward: ChatForward, response: Dispatcher.ResponseData): Promise<void> {
  const { attempt, call, credential, exchange, meter, modelId } = forward;
  const completion = parseChatAnswer(await call.readText(response.body, MAX_ANSWER_BYTES));
  attempt.firstByteAtMs = performance.now();
  attempt.endedAtMs = attempt.firstByteAtMs;
  meter.report(completion.usage);
  meter.deliver(completion.choices);
  const text = cleanAnswer(JSON.stringify({ ...completion, model: modelId }), credential);
  exchange.res.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'x-gateway-overhead-ms': overheadMs(exchange, attempt),
  });
  exchange.res.end(text);
}

function outcomeOf(failure: unknown, exchange: Exchange): UpstreamOutcome {
  if (failure instanceof ClientGone) return 'client_gone';
  return exchange.stop.signal.aborted ? 'cut' : 'failed';
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
