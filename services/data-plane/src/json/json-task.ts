import type { TranslatedFor, ValidatedJson, WrittenJson } from '@model-gateway/dialects';
import type { GatewayError } from '@model-gateway/shared';

/** What to do with a large body. */
export type JsonWork =
  /** Validate it with a schema, by name. */
  | { schemaName: string }
  /** Translate it with these translations, by name, one after the other. */
  | { translations: readonly string[]; model: TranslatedFor };

/** Message to the JSON worker. */
export interface JsonTask {
  work: JsonWork;
  /** Transferred, not copied: nobody else reads them meanwhile. */
  chunks: readonly Uint8Array<ArrayBuffer>[];
}

/** Response of the JSON worker, with the original bytes unless they were translated. */
export type JsonTaskAnswer =
  | {
      chunks: readonly Uint8Array<ArrayBuffer>[];
      refusal: Pick<GatewayError, 'code' | 'message' | 'param'>;
    }
  | ({ chunks: readonly Uint8Array<ArrayBuffer>[]; refusal?: undefined } & ValidatedJson<unknown>)
  | { refusal?: undefined; written: WrittenJson };
