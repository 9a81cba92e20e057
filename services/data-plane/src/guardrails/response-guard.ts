import {
  type ChatApi,
  findTexts,
  isObject,
  type JsonObject,
  objectsIn,
  parseExactJson,
  writeExactJson,
} from '@model-gateway/dialects';
import { guardrailUnavailable } from '@model-gateway/shared/errors';
import type { AnswerGuard } from '../http/answer-guard.ts';
import { checkTexts, putTexts, type TextChecks, type TextToCheck } from './check-texts.ts';

/** Joins adjacent text blocks, as clients do. @returns undefined if there are fewer than two */
function joinedBlocks(value: unknown): string | undefined {
  const blocks = isObject(value) ? objectsIn(value.content) : [];
  if (blocks.filter(({ type }) => type === 'text').length < 2) return undefined;
  return blocks.map(({ text, type }) => (type === 'text' && typeof text === 'string' ? text : '\n')).join('');
}

/** A longer response is not parsed. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Checks the response of one request. */
export class ResponseGuard implements AnswerGuard {
  readonly #checks: TextChecks;
  readonly holdBack: number;
  replacedResponse: JsonObject | undefined;

  constructor(checks: TextChecks) {
    this.#checks = checks;
    this.holdBack = Math.max(...checks.guardrails.map(({ hold_back }) => hold_back));
  }

  async check(texts: readonly TextToCheck[]): Promise<string[]> {
    return await checkTexts(this.#checks, texts);
  }

  failure(reason: string): Error {
    const id = this.#checks.guardrails.at(-1)?.id ?? '';
    this.#checks.context.log.warn(
      { guardrail: id, request_id: this.#checks.exchange.record.id, reason },
      'a guardrail failed',
    );
    return guardrailUnavailable(id, new Error(reason));
  }

  async whole(api: ChatApi, json: string): Promise<string> {
    if (json.length > MAX_BYTES) throw this.failure('the response is too long to check');
    const value = parseExactJson(json);
    const places = findTexts(value);
    const joined = api === 'messages' ? joinedBlocks(value) : undefined;
    const checked = await this.check([
      ...places,
      ...(joined === undefined ? [] : [{ kind: 'text' as const, text: joined, call: undefined }]),
    ]);
    const isReplaced = putTexts(places, checked);
    if (joined !== undefined && checked[places.length] !== joinedBlocks(value))
      throw this.failure('it wants to replace text across blocks');
    if (isReplaced && api === 'responses' && isObject(value)) this.replacedResponse = value;
    // Log probabilities may be gone as well.
    return isReplaced || json.includes('"logprobs"') ? writeExactJson(value) : json;
  }
}
