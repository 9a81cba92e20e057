import { z } from 'zod';

/** 30 days, as at OpenAI. */
const MAX_SECONDS = 2_592_000;
const KEY_BYTES = 32;
const KEY_ADVICE =
  'expected at least 32 random bytes as 64 hexadecimal digits or base64, such as "openssl rand -hex 32" prints';
const HEX = /^(?:[0-9a-f]{2})+$/i;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** Settings of stored responses: for how long, and the encryption key. */
export const responsesStateSettings = {
  RESPONSES_STATE_TTL_S: z
    .string()
    .regex(/^\d{1,7}$/, 'expected whole seconds')
    .transform(Number)
    .pipe(z.int().min(1, 'expected at least 1').max(MAX_SECONDS, `expected at most ${MAX_SECONDS} (30 days)`))
    .optional(),
  RESPONSES_STATE_KEY: z
    .string()
    .transform(decodeKey)
    .refine((key) => key.length >= KEY_BYTES, KEY_ADVICE)
    .optional(),
};

interface StateSettings {
  RESPONSES_STATE_TTL_S?: number | undefined;
  RESPONSES_STATE_KEY?: Buffer | undefined;
  REDIS_URL?: string | undefined;
}

export const STATE_KEY_MESSAGE =
  'RESPONSES_STATE_TTL_S needs RESPONSES_STATE_KEY: set it to what "openssl rand -hex 32" prints, ' +
  'the same in every data plane';

export function checkStateKey({ RESPONSES_STATE_KEY, RESPONSES_STATE_TTL_S }: StateSettings): boolean {
  return RESPONSES_STATE_TTL_S === undefined || RESPONSES_STATE_KEY !== undefined;
}

export const STATE_REDIS_MESSAGE =
  'RESPONSES_STATE_TTL_S needs REDIS_URL: set it to a Redis that all data planes share';

export function checkStateRedis({ REDIS_URL, RESPONSES_STATE_TTL_S }: StateSettings): boolean {
  return RESPONSES_STATE_TTL_S === undefined || REDIS_URL !== undefined;
}

export interface ResponsesState {
  ttlMs: number;
  key: Buffer;
  redisUrl: string;
}

/** @returns undefined if nothing is stored */
export function responsesStateOf(settings: StateSettings): ResponsesState | undefined {
  const { REDIS_URL: redisUrl, RESPONSES_STATE_KEY: key, RESPONSES_STATE_TTL_S: seconds } = settings;
  if (seconds === undefined || key === undefined || redisUrl === undefined) return undefined;
  return { ttlMs: seconds * 1_000, key, redisUrl };
}

/** Decodes a key; empty if the text is neither encoding. Digits alone count as hexadecimal. */
function decodeKey(text: string): Buffer {
  if (HEX.test(text)) return Buffer.from(text, 'hex');
  return BASE64.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0);
}
