/**
 * What the fixed-answer provider is asked for. It travels in the field `user` of the request, which every gateway
 * passes on, so that all of them are asked in the same words.
 */
export interface AnswerPlan {
  /** Of a JSON answer, exactly. */
  answerBytes: number;
  /** Chunks of a streamed answer; 0: JSON. */
  chunks: number;
  intervalMs: number;
  /** Names a stream whose bytes the provider is to remember. */
  stream?: string;
}

/** Model and upstream model alike: an answer that passed unchanged is equal byte for byte. */
export const MODEL = 'bench/fixed';
/** Stands around the time in each chunk, and nowhere else. */
export const TIME_MARK = '@';
const MARK = 'bench:';
const MAX_PLAN_BYTES = 100;

export function planText({ answerBytes, chunks, intervalMs, stream = '' }: AnswerPlan): string {
  return `${MARK}${answerBytes}:${chunks}:${intervalMs}:${stream}`;
}

/** @returns undefined when the request carries none */
export function findPlan(body: Buffer): AnswerPlan | undefined {
  const start = body.indexOf(`"${MARK}`);
  if (start < 0) return undefined;
  const text = body.toString('latin1', start + 1 + MARK.length, start + MAX_PLAN_BYTES);
  const [answerBytes, chunks, intervalMs, stream = ''] = text.slice(0, text.indexOf('"')).split(':');
  const plan = { answerBytes: Number(answerBytes), chunks: Number(chunks), intervalMs: Number(intervalMs) };
  return stream === '' ? plan : { ...plan, stream };
}

/** Microseconds of the clock that all processes of this machine share. */
export function sharedClockUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}
