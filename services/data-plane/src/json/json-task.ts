import type { GatewayError } from '@model-gateway/shared';
import type { UnderstoodJson } from './understand-json.ts';

/** What the thread that understands large bodies is asked. */
export interface JsonTask {
  schemaName: string;
  /** Handed over, not copied: nobody else reads them meanwhile. */
  chunks: readonly Uint8Array<ArrayBuffer>[];
}

/** What it answers; the bytes come back with it. */
export type JsonTaskAnswer = { chunks: readonly Uint8Array<ArrayBuffer>[] } & (
  | { refusal: Pick<GatewayError, 'code' | 'message' | 'param'> }
  | ({ refusal?: undefined } & UnderstoodJson<unknown>)
);
