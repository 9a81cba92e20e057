import type { JsonObject } from '../json/json-object.ts';

/** Remembers that a provider still works on a response after its HTTP response has ended. */
export interface BackgroundNote {
  /** @param response with the provider's own id */
  note(providerId: string, response: JsonObject): void;
}
