import type { ChatApi, JsonObject, TextPlace } from '@model-gateway/dialects';

/** Checks the response of one request (guardrails/). */
export interface AnswerGuard {
  /** Ids of the guardrails of all models that may answer the request. */
  readonly guardrails: readonly string[];
  /** Characters behind a text that must have been checked before it is sent. */
  readonly holdBack: number;
  /** The response object of Responses if texts in it were replaced. */
  replacedResponse: JsonObject | undefined;
  /** @returns the texts to send @throws GatewayError 403, 503 */
  check(texts: readonly Pick<TextPlace, 'call' | 'kind' | 'text'>[]): Promise<string[]>;
  /** Checks a whole response. @returns the JSON to send @throws GatewayError 403, 503 */
  whole(api: ChatApi, json: string): Promise<string>;
  /** Returns the error for text that cannot be checked, or that was sent before a guardrail replaced it. */
  failure(reason: string): Error;
}
