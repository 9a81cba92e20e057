import type { GatewayError } from '@model-gateway/shared';
import type { UnderstoodJson } from './understand-json.ts';

/** The question to the thread that reads large bodies. */
export interface JsonTask {
  schemaName: string;
  /** The bytes are handed over and not copied: nobody else reads them meanwhile. */
  chunks: readonly Uint8Array<ArrayBuffer>[];
}

/** The answer of the thread; it hands the bytes back. */
export type JsonTaskAnswer = { chunks: readonly Uint8Array<ArrayBuffer>[] } & (
  | { refusal: Pick<GatewayError, 'code' | 'message' | 'param'> }
  | ({ refusal?: undefined } & UnderstoodJson<unknown>)
);
