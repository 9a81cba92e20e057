import type { IncomingHttpHeaders } from 'node:http';
import {
  type ChatApi,
  JsonOutline,
  type JsonTranslator,
  OutlinedResponse,
  type OutlineOptions,
  parseExactJson,
  totalLength,
  type Usage,
  withReportedWords,
  writeExactJson,
} from '@model-gateway/dialects';
import { badGateway } from '@model-gateway/shared/errors';
import type { RoutedProvider } from '../catalog/model-table.ts';
import { ChunkList } from '../http/chunk-list.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { sendPieces } from '../http/send-pieces.ts';
import { MAX_ANSWER_BYTES } from '../memory/answer-budget.ts';
import { claimMemory, type MemoryBudget } from '../memory/memory-budget.ts';
import type { MemoryClaim } from '../memory/memory-claim.ts';
import type { AnswerRelay, ProviderAttempt } from './capability-call.ts';
import { cleanPieces } from './clean-pieces.ts';
import { OVERHEAD_HEADER, overheadMs } from './overhead.ts';
import { responseIdIn } from './provider-request-id.ts';
import { type ReadWholeOptions, readWhole } from './read-whole.ts';
import { cleanAnswer, cleanJson, secretRedactor } from './redact.ts';
import { requireShallowJson } from './require-shallow-json.ts';
import type { UpstreamAnswer } from './upstream-answer.ts';

/**
 * Larger responses are outlined: a parsed value would take many times the memory and block the event loop.
 */
export const LARGE_ANSWER_BYTES = 256 * 1024;

/** More than any model outputs as text; parsed within dozens of milliseconds. */
const MAX_PARSED_BYTES = 8 * 1024 * 1024;

export interface WholeAnswers {
  answerBudget: MemoryBudget;
  streamTimings: { readonly clientStallMs: number };
  /** Size above which a response is large. */
  largeAnswerBytes: number;
}

/** Creates the translator of a response. @param headers of the response */
type TranslatorFor = (
  provider: RoutedProvider,
  upstreamModel: string,
  headers: IncomingHttpHeaders,
) => JsonTranslator;

/** Relays a response that is read whole, so that a broken one never looks like a success. */
export class JsonRelay implements AnswerRelay {
  readonly #exchange: AuthenticatedExchange;
  readonly #shared: WholeAnswers;
  readonly #translatorFor: TranslatorFor;
  readonly #api: ChatApi | undefined;
  #usage: Usage | undefined;
  #text = '';
  #large: PiecesInMemory | undefined;

  /** @param api the caller's, for guardrails; left out: the response is not checked */
  constructor(
    exchange: AuthenticatedExchange,
    shared: WholeAnswers,
    translatorFor: TranslatorFor,
    api?: ChatApi,
  ) {
    this.#exchange = exchange;
    this.#shared = shared;
    this.#translatorFor = translatorFor;
    this.#api = api;
  }

  pass(answer: UpstreamAnswer, current: ProviderAttempt): Promise<void> | undefined {
    const { attempt, provider } = current;
    const translator = this.#translatorFor(provider, attempt.upstreamModel, answer.headers);
    const { outline, large } = translator;
    const outliner = outline && new Outliner(outline, this.#shared.largeAnswerBytes);
    const options = {
      maxBytes: outliner === undefined ? (translator.maxBytes ?? MAX_PARSED_BYTES) : MAX_ANSWER_BYTES,
      onChunk: outliner && ((chunk: Buffer) => outliner.push(chunk)),
    };
    return readIntoMemory(this.#exchange, this.#shared, { answer, current }, options, (chunks, claim) => {
      const members = outliner?.members();
      if (members !== undefined && large !== undefined)
        return this.#passLarge(large, new OutlinedResponse(chunks, members), current, claim);
      this.#translateSmall(translator, chunks, current);
      return this.#checked();
    });
  }

  finish(): void {
    const { res } = this.#exchange;
    const headers: Record<string, string | number> = {
      'content-type': 'application/json; charset=utf-8',
      [OVERHEAD_HEADER]: overheadMs(this.#exchange),
    };
    if (this.#large !== undefined) {
      sendWhole(this.#exchange, this.#shared, this.#large, headers);
      return;
    }
    const bytes = Buffer.byteLength(this.#text);
    headers['content-length'] = bytes;
    res.writeHead(200, headers);
    // ASCII is the same in both encodings, and latin1 is merely copied.
    res.end(this.#text, bytes === this.#text.length ? 'latin1' : 'utf8');
  }

  /** Nothing is sent before the response is complete. */
  get hasBegun(): boolean {
    return false;
  }

  fail(): void {
    // The client has received nothing.
  }

  usage(): Usage | undefined {
    return this.#usage;
  }

  async #passLarge(
    large: NonNullable<JsonTranslator['large']>,
    outlined: OutlinedResponse,
    { attempt, secrets }: ProviderAttempt,
    claim: MemoryClaim,
  ): Promise<void> {
    const outline = { id: outlined.small('id') };
    attempt.providerRequestId ??= responseIdIn(outline);
    attempt.traced?.addWhole(outline);
    const { pieces, usage } = large(outlined);
    this.#large = { pieces: await cleanPieces(pieces, secrets, true), claim };
    this.#usage = usage;
    await this.#checked();
  }

  /** @returns undefined if no guardrail checks the response @throws GatewayError 403, 503 */
  #checked(): Promise<void> | undefined {
    const { guard } = this.#exchange;
    if (guard === undefined || this.#api === undefined) return undefined;
    const large = this.#large;
    const text = large === undefined ? this.#text : textOf(large.pieces);
    return guard.whole(this.#api, text).then((checked) => {
      if (large === undefined) this.#text = checked;
      else if (checked !== text) this.#large = { ...large, pieces: [Buffer.from(checked)] };
    });
  }

  #translateSmall(
    translator: JsonTranslator,
    chunks: readonly Buffer[],
    { attempt, secrets }: ProviderAttempt,
  ): void {
    // Also clean before translation, which may encode a secret, for example in base64.
    const isTranslated = translator.large === undefined;
    const text = isTranslated ? cleanJson(textOf(chunks), secrets) : textOf(chunks);
    try {
      const value = isTranslated ? parseJson(text, parseExactJson) : parseJson(text);
      attempt.providerRequestId ??= responseIdIn(value);
      attempt.traced?.addWhole(value);
      const { body, usage } = translator.whole(value, text);
      this.#text = cleanAnswer(typeof body === 'string' ? body : writeExactJson(body), secrets);
      this.#usage = usage;
    } catch (thrown) {
      throw withReportedWords(thrown, text, secretRedactor(secrets));
    }
  }
}

export interface PiecesInMemory {
  pieces: Buffer[];
  claim: MemoryClaim;
}

/**
 * Reads a response to its end and converts it. A failure frees the memory: another attempt may need it.
 * @returns undefined if the response has arrived whole and `convert` returned no promise
 */
export function readIntoMemory(
  exchange: AuthenticatedExchange,
  { answerBudget }: WholeAnswers,
  { answer, current }: { answer: UpstreamAnswer; current: ProviderAttempt },
  options: ReadWholeOptions,
  convert: (chunks: Buffer[], claim: MemoryClaim) => Promise<void> | undefined,
): Promise<void> | undefined {
  const claim = claimMemory(exchange, answerBudget);
  const failed = (failure: unknown) => {
    claim.giveBack();
    throw failure;
  };
  const arrived = (chunks: Buffer[]) => {
    current.attempt.firstByteAtMs = performance.now();
    current.attempt.endedAtMs = current.attempt.firstByteAtMs;
    return convert(chunks, claim);
  };
  try {
    const chunks = readWhole(answer, current, claim, options);
    const done = chunks instanceof Promise ? chunks.then(arrived) : arrived(chunks);
    return done?.catch(failed);
  } catch (failure) {
    return failed(failure);
  }
}

/** Sends a whole response, and releases its memory on the way. */
export function sendWhole(
  exchange: AuthenticatedExchange,
  { streamTimings }: WholeAnswers,
  { pieces, claim }: PiecesInMemory,
  headers: Record<string, string | number>,
): void {
  const length = totalLength(pieces);
  sendPieces(exchange, pieces, {
    headers: { ...headers, 'content-length': length },
    windowMs: streamTimings.clientStallMs,
    onSent: (bytes) => claim.giveBackPart(bytes),
  });
}

export function textOf(chunks: readonly Buffer[]): string {
  const [only] = chunks;
  return (chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)).toString();
}

/** @throws GatewayError 502 */
export function parseJson(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  requireShallowJson(text);
  try {
    return parse(text);
  } catch (cause) {
    throw badGateway(cause);
  }
}

/** Outlines a response once it turns out to be large. */
export class Outliner {
  readonly #options: OutlineOptions;
  readonly #largeBytes: number;
  #buffered = new ChunkList();
  #bytes = 0;
  #outline: JsonOutline | undefined;

  constructor(options: OutlineOptions, largeBytes: number) {
    this.#options = options;
    this.#largeBytes = largeBytes;
  }

  /** @throws BrokenJson */
  push(chunk: Buffer): void {
    if (this.#outline !== undefined) {
      this.#outline.push(chunk);
      return;
    }
    this.#bytes += chunk.length;
    this.#buffered.add(chunk);
    if (this.#bytes <= this.#largeBytes) return;
    this.#outline = new JsonOutline(this.#options);
    for (const early of this.#buffered.all()) this.#outline.push(early);
    this.#buffered = new ChunkList();
  }

  /** Returns the members of a large response; undefined: it is small. @throws GatewayError 502: incomplete */
  members() {
    try {
      return this.#outline?.end();
    } catch (cause) {
      throw badGateway(cause);
    }
  }
}
