import type { TranslatedFor, ValidatedJson, WrittenJson } from '@model-gateway/dialects';
import type { GatewayError } from '@model-gateway/shared';

/** The work on a large body. */
export type JsonWork =
  /** To be read and checked, by the name of a schema. */
  | { schemaName: string }
  /** To be written in another API, by the names of translations, one after the other. */
  | { translations: readonly string[]; model: TranslatedFor };

/** The question to the thread that works on large bodies. */
export interface JsonTask {
  work: JsonWork;
  /** The bytes are handed over and not copied: nobody else reads them meanwhile. */
  chunks: readonly Uint8Array<ArrayBuffer>[];
}

/** The answer of the thread; it hands the bytes back, unless something else was made of them. */
export type JsonTaskAnswer =
  | {
      chunks: readonly Uint8Array<ArrayBuffer>[];
      refusal: Pick<GatewayError, 'code' | 'message' | 'param'>;
    }
  | ({ chunks: readonly Uint8Array<ArrayBuffer>[]; refusal?: undefined } & ValidatedJson<unknown>)
  | { refusal?: undefined; written: WrittenJson };
