import type { Dispatcher } from 'undici';
import type { Exchange, Usage } from '../request-record.ts';
import type { AnswerRelay, ProviderAttempt } from '../upstream/capability-call.ts';
import { OVERHEAD_HEADER, overheadMs } from '../upstream/overhead.ts';
import { badGateway } from '../upstream/provider-errors.ts';
import { cleanAnswer } from '../upstream/redact.ts';

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Of the provider's JSON, what the client gets and what it consumed. */
export interface JsonAnswer {
  body: unknown;
  usage: Usage;
}

/** An answer that is read whole, so that a broken one never looks like a success. */
export class JsonRelay implements AnswerRelay {
  readonly #exchange: Exchange;
  readonly #translate: (value: unknown) => JsonAnswer;
  #usage: Usage | undefined;
  #text = '';

  /** @param translate throws GatewayError (502) on what is no answer of the capability */
  constructor(exchange: Exchange, translate: (value: unknown) => JsonAnswer) {
    this.#exchange = exchange;
    this.#translate = translate;
  }

  async pass(
    response: Dispatcher.ResponseData,
    { attempt, call, credential }: ProviderAttempt,
  ): Promise<void> {
    const value = parseJson(await call.readText(response.body, MAX_ANSWER_BYTES));
    attempt.firstByteAtMs = performance.now();
    attempt.endedAtMs = attempt.firstByteAtMs;
    const { body, usage } = this.#translate(value);
    this.#usage = usage;
    this.#text = cleanAnswer(JSON.stringify(body), credential);
  }

  finish(): void {
    const { res } = this.#exchange;
    res.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(this.#text),
      [OVERHEAD_HEADER]: overheadMs(this.#exchange),
    });
    res.end(this.#text);
  }

  fail(): void {
    // Nothing goes out before the whole answer is there.
  }

  usage(): Usage | undefined {
    return this.#usage;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw badGateway(cause);
  }
}
