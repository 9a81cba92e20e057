import type { JsonObject } from '../json/json-object.ts';

/** Remembers whether a provider still works on a response when its answer to the request has ended. */
export interface BackgroundNote {
  /** @param response as the provider has it, with its own id */
  note(providerId: string, response: JsonObject): void;
}
