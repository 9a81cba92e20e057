import type { JsonObject } from '../json/json-object.ts';

/** The model of a translated request: its id at the gateway, and its name at the provider. */
export interface TranslatedFor {
  id: string;
  maxOutputTokens: number | undefined;
  upstreamModel: string;
  /** Copied from the translation that follows. */
  takesMediaInResults?: true | undefined;
}

/** A request that was translated from one API to another. */
export interface TranslatedRequest {
  request: JsonObject;
  /** Names of ignored fields. */
  ignored: string[];
  /**
   * Members that Chat Completions lacks, for a second translation to an API that has them. Without one, they
   * are ignored by name.
   */
  extra?: JsonObject;
  /**
   * Returns the caller's name of a field that a later translation refused or ignored.
   * @param path with or without indexes
   */
  callersPath?: (path: string) => string;
}

export interface Translation {
  /** Identifies it in the worker thread for large bodies. */
  name: string;
  /** The provider has the model in the path, not in the body. */
  omitsModel?: true;
  /** The provider takes pictures and files inside tool results. */
  takesMediaInResults?: true;
  /** Ignores `extra` of the translation before it. */
  omitsExtra?: true;
  /** @throws GatewayError 400 that names a field which the other API cannot express */
  apply(request: JsonObject, model: TranslatedFor): TranslatedRequest;
}
