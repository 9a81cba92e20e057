/** The plan for the fixed-answer provider, in the field `user`, which every gateway forwards. */
export interface AnswerPlan {
  /** The exact length of a JSON answer. */
  answerBytes: number;
  /** The number of chunks of a streamed answer; 0: the answer is JSON. */
  chunks: number;
  intervalMs: number;
  /** The name of a stream whose bytes the provider shall remember. */
  stream?: string;
}

/** The model and the upstream model have the same name, so that an answer passes unchanged, byte for byte. */
export const MODEL = 'bench/fixed';
/** Precedes and follows the time in each chunk, and occurs nowhere else. */
export const TIME_MARK = '@';
const MARK = 'bench:';
const MAX_PLAN_BYTES = 100;

export function planText({ answerBytes, chunks, intervalMs, stream = '' }: AnswerPlan): string {
  return `${MARK}${answerBytes}:${chunks}:${intervalMs}:${stream}`;
}

/** @returns undefined when the request has no plan */
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
