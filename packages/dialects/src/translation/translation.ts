import type { JsonObject } from '../json/json-object.ts';

/** Whom a request is translated for: the model as its callers know it, and as its provider does. */
export interface TranslatedFor {
  id: string;
  maxOutputTokens: number | undefined;
  upstreamModel: string;
}

/** A request that was translated from one API to another. */
export interface TranslatedRequest {
  request: JsonObject;
  /** The fields that were left out, because they only tune or tag and the other API lacks them. */
  ignored: string[];
  /**
   * Members of the request that its API does not have, but others do that it may be translated to. Where it
   * is not translated on, they are left out, and named.
   */
  further?: JsonObject;
  /**
   * Returns the caller's name of a field that a later translation refused or left out.
   * @param path of the field, with or without numbers
   */
  callersPath?: (path: string) => string;
}

/** How a request becomes one of another API. */
export interface Translation {
  /** It is known under this name in the thread that works on large bodies. */
  name: string;
  /** The other API names the model in the path alone. */
  leavesModelOut?: true;
  /** It takes no `further` members of the translation before it: they are left out, and named. */
  leavesFurtherOut?: true;
  /** @throws GatewayError 400 that names a field which the other API cannot express */
  apply(request: JsonObject, model: TranslatedFor): TranslatedRequest;
}
