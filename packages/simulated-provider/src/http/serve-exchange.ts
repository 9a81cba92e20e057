import { timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import { sendAnswer } from '../answers/send-answer.ts';
import { writeHeaders } from '../answers/write-headers.ts';
import { parseFields } from '../errors/parse-fields.ts';
import { errorBody, ProviderError } from '../errors/provider-error.ts';
import { endEarly } from '../faults/early-fault.ts';
import { type Fault, faultSchema } from '../faults/fault-schema.ts';
import type { RequestLog } from '../request-log.ts';
import type { ProviderExchange, Route } from './exchange.ts';
import { openExchange } from './open-exchange.ts';
import { isForm, type ParsedBody, parseBody, readBody, recordedBody } from './read-request.ts';

/** What all exchanges of one provider share. */
export interface ProviderState {
  readonly apiKey: string | undefined;
  readonly tokenDelayMs: number;
  readonly log: RequestLog;
  /** Faults of the next requests, one each. */
  readonly scripted: Fault[];
}

/** Every request goes this way: it is recorded, checked for a credential, spoiled by faults, answered. */
export function serveExchange(state: ProviderState, route: Route): RequestHandler {
  return async (req, res) => {
    const { closed, markEnded, receivedAtMs, signal } = openExchange(res);
    let fault: Fault = {};
    try {
      const { bytes, isComplete } = await readBody(req);
      const contentType = req.headers['content-type'];
      const body: ParsedBody = isComplete ? await parseBody(contentType, bytes) : { kind: 'none' };
      state.log.add({
        method: req.method,
        path: req.originalUrl,
        headers: { ...req.headers },
        bodyText: bytes.toString(isForm(contentType) ? 'latin1' : 'utf8'),
        body: recordedBody(body),
        receivedAtMs,
        closed,
      });
      if (!isComplete) return;
      const credential = bearerToken(req.headers.authorization);
      checkCredential(credential, state.apiKey);
      if (body.kind === 'unreadable') throw body.error;
      fault = { ...parseFault(body), ...state.scripted.shift() };
      const exchange: ProviderExchange = {
        req,
        res,
        json: body.kind === 'json' ? body.json : null,
        form: body.kind === 'form' ? body.form : undefined,
        fault,
        credential,
        tokenDelayMs: fault.token_delay_ms ?? state.tokenDelayMs,
        signal,
        markEnded,
      };
      if (await endEarly(exchange)) return;
      checkFields(body);
      await sendAnswer(exchange, await route(exchange));
    } catch (error) {
      if (signal.aborted) return;
      // An answer that has begun cannot be taken back, so its connection is cut.
      if (res.headersSent) req.socket.destroy();
      else answerError({ fault, res }, error);
    }
  };
}

export function answerError(exchange: Pick<ProviderExchange, 'fault' | 'res'>, error: unknown): void {
  const known =
    error instanceof ProviderError ? error : new ProviderError(500, `A bug of the simulation: ${error}`);
  exchange.res.statusCode = known.status;
  const body = JSON.stringify(errorBody(known));
  const length = String(Buffer.byteLength(body));
  writeHeaders(exchange, { ...known.headers, 'content-type': 'application/json', 'content-length': length });
  exchange.res.end(body);
}

function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

function checkCredential(credential: string | undefined, apiKey: string | undefined): void {
  if (apiKey === undefined) return;
  if (credential === undefined) throw new ProviderError(401, "You didn't provide an API key.");
  const [given, wanted] = [Buffer.from(credential), Buffer.from(apiKey)];
  if (given.length === wanted.length && timingSafeEqual(given, wanted)) return;
  throw new ProviderError(401, 'Incorrect API key provided.', { code: 'invalid_api_key' });
}

/** Reads the field `simulate`; in a form it is JSON text. */
function parseFault(body: ParsedBody): Fault {
  const value = fieldOf(body, 'simulate');
  if (value === undefined) return {};
  return parseFields(faultSchema, body.kind === 'form' ? parseJson(value) : value);
}

/** Is as strict as a real provider, so that tests can prove that the gateway dropped a field of its own. */
function checkFields(body: ParsedBody): void {
  if (fieldOf(body, 'notre') === undefined) return;
  throw new ProviderError(400, 'Unrecognized request argument supplied: notre');
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
