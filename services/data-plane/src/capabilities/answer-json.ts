import type { Exchange, Usage } from '../request-record.ts';
import type { AnswerRelay, ProviderAttempt } from '../upstream/capability-call.ts';
import { OVERHEAD_HEADER, overheadMs } from '../upstream/overhead.ts';
import { badGateway } from '../upstream/provider-errors.ts';
import { cleanAnswer } from '../upstream/redact.ts';
import type { UpstreamAnswer } from '../upstream/upstream-answer.ts';

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Of the provider's JSON, what the client gets and what it consumed. */
export interface JsonAnswer {
  /** As text where that is at hand, else a value to be written. */
  body: string | object;
  usage: Usage;
}

/** An answer that is read whole, so that a broken one never looks like a success. */
export class JsonRelay implements AnswerRelay {
  readonly #exchange: Exchange;
  readonly #translate: (value: unknown, text: string) => JsonAnswer;
  #usage: Usage | undefined;
  #text = '';

  /** @param translate throws GatewayError (502) on what is no answer of the capability; `text` is `value` as it came */
  constructor(exchange: Exchange, translate: (value: unknown, text: string) => JsonAnswer) {
    this.#exchange = exchange;
    this.#translate = translate;
  }

  async pass(_answer: UpstreamAnswer, { attempt, call, credential }: ProviderAttempt): Promise<void> {
    const text = (await call.readBytes(MAX_ANSWER_BYTES)).toString();
    const value = parseJson(text);
    attempt.firstByteAtMs = performance.now();
    attempt.endedAtMs = attempt.firstByteAtMs;
    const { body, usage } = this.#translate(value, text);
    this.#usage = usage;
    this.#text = cleanAnswer(typeof body === 'string' ? body : JSON.stringify(body), credential);
  }

  finish(): void {
    const { res } = this.#exchange;
    const bytes = Buffer.byteLength(this.#text);
    res.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': bytes,
      [OVERHEAD_HEADER]: overheadMs(this.#exchange),
    });
    // Text that is all ASCII is the same in both, and latin1 is merely copied.
    res.end(this.#text, bytes === this.#text.length ? 'latin1' : 'utf8');
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
