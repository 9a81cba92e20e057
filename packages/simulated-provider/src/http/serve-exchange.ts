import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { Answer } from '../answers/answer.ts';
import { sendAnswer } from '../answers/send-answer.ts';
import { writeHeaders } from '../answers/write-headers.ts';
import { type BillLedger, keyIdOf, type ServedState } from '../billing/bill-ledger.ts';
import { Progress } from '../billing/served-work.ts';
import type { PromptCache } from '../cache/prompt-cache.ts';
import { parseFields } from '../errors/parse-fields.ts';
import { ProviderError } from '../errors/provider-error.ts';
import { endEarly } from '../faults/early-fault.ts';
import { type Fault, faultSchema } from '../faults/fault-schema.ts';
import { awsSignatureIn } from '../protocols/aws-signature.ts';
import type { Protocol } from '../protocols/protocol.ts';
import type { ExchangeEnd, RequestLog } from '../request-log.ts';
import type { StoredResponses } from '../responses/stored-responses.ts';
import { loadTokenizer } from '../text/tokenizer.ts';
import type { IssuedTokens } from '../tokens/issued-tokens.ts';
import type { ApiKeys } from './api-keys.ts';
import type { ProviderExchange, Route } from './exchange.ts';
import { isForm, type ParsedBody, parseBody, readBody, recordedBody } from './read-request.ts';

export interface ProviderState {
  readonly apiKeys: ApiKeys;
  readonly tokenDelayMs: number;
  readonly log: RequestLog;
  readonly ledger: BillLedger;
  /** What reports and exports of bills need; undefined: a key for requests. */
  readonly adminKey: string | undefined;
  /** Faults of the next requests, one for each. */
  readonly scripted: Fault[];
  readonly promptCache: PromptCache;
  readonly responses: StoredResponses;
  readonly tokens: IssuedTokens;
}

/** Serves a route: records the request, checks its credential, applies faults and answers. */
export function serveExchange(state: ProviderState, protocol: Protocol, route: Route): RequestHandler {
  return async (req, res) => {
    const receivedAtMs = performance.now();
    const timeMs = Date.now();
    const progress = new Progress();
    const { closed, markEnded, signal } = watchResponse(res);
    const requestId = `req_${randomBytes(12).toString('hex')}`;
    let fault: Fault = {};
    let credential: string | undefined;
    for (const [name, value] of Object.entries(protocol.answerHeaders(requestId))) res.setHeader(name, value);
    try {
      const { bytes, isComplete } = await readBody(req);
      const contentType = req.headers['content-type'];
      const body: ParsedBody = isComplete ? await parseBody(contentType, bytes) : { kind: 'none' };
      state.log.add({
        method: req.method,
        path: req.originalUrl,
        headers: { ...req.headers },
        bodyBytes: bytes,
        // Decoded only when a test reads it, because long tests read few of their requests.
        get bodyText() {
          return bytes.toString(isForm(contentType) ? 'latin1' : 'utf8');
        },
        body: recordedBody(body),
        receivedAtMs,
        closed,
      });
      if (!isComplete) return;
      const { method = '', originalUrl: url } = req;
      credential = protocol.credential(req.headers);
      const expectedKey = state.apiKeys.expectedKey(credential);
      protocol.checkHead(req.headers, expectedKey, { method, url, body: bytes, tokens: state.tokens });
      if (body.kind === 'unreadable') throw body.error;
      fault = { ...parseFault(body), ...state.apiKeys.faultOf(credential), ...state.scripted.shift() };
      const exchange: ProviderExchange = {
        req,
        res,
        protocol,
        json: body.kind === 'json' ? withoutKnobs(body.json) : null,
        form: body.kind === 'form' ? body.form : undefined,
        fault,
        credential,
        tokenDelayMs: fault.token_delay_ms ?? state.tokenDelayMs,
        promptCache: state.promptCache,
        responses: state.responses,
        progress,
        meter: progress.meter,
        signal,
        markEnded,
      };
      const done = fault.billed ? await doAllWork(exchange, route) : undefined;
      if (await endEarly(exchange)) return;
      checkFields(body, protocol);
      await loadTokenizer();
      await sendAnswer(exchange, done ?? (await route(exchange)));
    } catch (error) {
      if (signal.aborted) return;
      // A response that has begun cannot become an error, so its connection is cut.
      if (res.headersSent) req.socket.destroy();
      else answerError({ fault, protocol, requestId, res }, error);
    } finally {
      const { work } = progress;
      if (work !== undefined) {
        const { reason } = await closed;
        state.ledger.add({
          vendor: protocol.vendor,
          timeMs,
          requestId,
          clientRequestId: clientIdIn(req.headers),
          model: work.model,
          keyId: keyIdIn(req.headers, credential),
          serviceTier: work.serviceTier ?? null,
          isStreamed: String(res.getHeader('content-type')).includes('event'),
          state: stateOf(reason, res, progress),
          units: progress.billedUnits(),
        });
      }
    }
  };
}

/** Does the work before a fault ends the request, as a provider that bills what it could not deliver. */
async function doAllWork(exchange: ProviderExchange, route: Route): Promise<Answer> {
  await loadTokenizer();
  const answer = await route(exchange);
  exchange.progress.isDone = true;
  return answer;
}

function stateOf(reason: ExchangeEnd['reason'], res: ServerResponse, { isSent }: Progress): ServedState {
  if (reason === 'client_closed') return 'aborted';
  if (res.statusCode >= 400) return 'failed';
  return isSent ? 'completed' : 'cut';
}

function clientIdIn(headers: IncomingHttpHeaders): string | null {
  const id = headers['x-client-request-id'] ?? headers['x-request-id'];
  return typeof id === 'string' ? id : null;
}

/** AWS signatures name their key; of other credentials only a fingerprint is kept. */
function keyIdIn({ authorization }: IncomingHttpHeaders, credential: string | undefined): string | null {
  const signature = awsSignatureIn(authorization);
  if (signature !== undefined) return signature.accessKeyId;
  return credential === undefined ? null : keyIdOf(credential);
}

export function answerError(
  exchange: Pick<ProviderExchange, 'fault' | 'protocol' | 'res'> & { requestId: string },
  error: unknown,
): void {
  const known =
    error instanceof ProviderError ? error : new ProviderError(500, `A bug of the simulation: ${error}`);
  exchange.res.statusCode = known.status;
  const body = JSON.stringify(exchange.protocol.errorBody(known, exchange.requestId));
  const length = String(Buffer.byteLength(body));
  const { bodyOnlyHeaders = [] } = exchange.protocol;
  const own = Object.entries(known.headers).filter(([name]) => !bodyOnlyHeaders.includes(name));
  const always = { 'content-type': 'application/json', 'content-length': length };
  writeHeaders(exchange, { ...Object.fromEntries(own), ...always });
  exchange.res.end(body);
}

/** Parses the field `simulate`, which is JSON text in a form. */
function parseFault(body: ParsedBody): Fault {
  const value = fieldOf(body, 'simulate');
  if (value === undefined) return {};
  return parseFields(faultSchema, body.kind === 'form' ? parseJson(value) : value);
}

/** Refuses a field of the gateway, as a real provider would, so that tests can prove that it was dropped. */
function checkFields(body: ParsedBody, protocol: Protocol): void {
  if (fieldOf(body, 'notre') === undefined) return;
  throw protocol.unknownMember('notre');
}

function withoutKnobs(json: unknown): unknown {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return json;
  const { simulate: _, ...rest } = { simulate: undefined, ...json };
  return rest;
}

function fieldOf(body: ParsedBody, name: string): unknown {
  if (body.kind === 'form') return body.form.get(name) ?? undefined;
  if (body.kind !== 'json' || typeof body.json !== 'object' || body.json === null) return undefined;
  return Object.getOwnPropertyDescriptor(body.json, name)?.value;
}

function parseJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    throw new ProviderError(400, "Invalid value for 'simulate': not JSON.", { param: 'simulate' });
  }
}

/** Watches a response to its end. */
function watchResponse(res: ServerResponse) {
  const controller = new AbortController();
  const { promise: closed, resolve } = Promise.withResolvers<ExchangeEnd>();
  let endedByUs = false;
  // A client that goes away after its request was read is seen only at the response.
  res.once('close', () => {
    const reason = endedByUs || res.writableFinished ? 'completed' : 'client_closed';
    resolve({ atMs: performance.now(), reason });
    controller.abort();
  });
  const markEnded = () => {
    endedByUs = true;
  };
  return { signal: controller.signal, closed, markEnded };
}
