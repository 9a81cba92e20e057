import {
  type ChatApi,
  findTexts,
  isObject,
  type JsonObject,
  parseExactJson,
  writeExactJson,
} from '@model-gateway/dialects';
import { guardrailUnavailable } from '@model-gateway/shared/errors';
import type { AnswerGuard } from '../http/answer-guard.ts';
import { logIds } from '../observability/log-ids.ts';
import { checkTexts, putTexts, type TextChecks, type TextToCheck } from './check-texts.ts';

/** A longer response is not parsed. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Checks the response of one request. */
export class ResponseGuard implements AnswerGuard {
  readonly #checks: TextChecks;
  readonly guardrails: readonly string[];
  readonly holdBack: number;
  replacedResponse: JsonObject | undefined;

  /** @param ofModels ids of the guardrails of all models that may answer */
  constructor(checks: TextChecks, ofModels: ReadonlySet<string>) {
    this.#checks = checks;
    this.guardrails = checks.guardrails.map(({ id }) => id).filter((id) => ofModels.has(id));
    this.holdBack = Math.max(...checks.guardrails.map(({ hold_back }) => hold_back));
  }

  async check(texts: readonly TextToCheck[]): Promise<string[]> {
    return await checkTexts(this.#checks, texts);
  }

  failure(reason: string): Error {
    const id = this.#checks.guardrails.at(-1)?.id ?? '';
    this.#checks.context.log.warn(
      { guardrail: id, ...logIds(this.#checks.exchange.record), reason },
      'a guardrail failed',
    );
    return guardrailUnavailable(id, new Error(reason));
  }

  async whole(api: ChatApi, json: string): Promise<string> {
    if (json.length > MAX_BYTES) throw this.failure('the response is too long to check');
    const value = parseExactJson(json);
    const places = findTexts(value);
    const isReplaced = putTexts(places, await this.check(places));
    if (isReplaced && api === 'responses' && isObject(value)) this.replacedResponse = value;
    // Log probabilities may be gone as well.
    return isReplaced || json.includes('"logprobs"') ? writeExactJson(value) : json;
  }
}
