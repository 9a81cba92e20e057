import { objectOr, textOr } from '../../json/json-object.ts';

/** An entry of `reasoning_details`. */
export interface ReasoningDetail {
  type: unknown;
  index: unknown;
  format: unknown;
  text: string;
  signature: string;
  data: unknown;
}

/** Joins entries of one index: clients may send text and signature of a stream separately. */
export function gatherReasoningDetails(details: readonly unknown[]): ReasoningDetail[] {
  const whole: ReasoningDetail[] = [];
  for (const entry of details) {
    const detail = detailOf(entry);
    const last = whole.at(-1);
    if (last === undefined || !continues(detail, last)) {
      whole.push(detail);
    } else {
      last.text += detail.text;
      last.signature += detail.signature;
    }
  }
  return whole;
}

function continues(next: ReasoningDetail, last: ReasoningDetail): boolean {
  const isText = next.type === 'reasoning.text' && last.type === next.type;
  return isText && typeof next.index === 'number' && next.index === last.index;
}

function detailOf(entry: unknown): ReasoningDetail {
  const { data, format, index, signature, text, type } = objectOr(entry);
  return { type, index, format, text: textOr(text), signature: textOr(signature), data };
}
