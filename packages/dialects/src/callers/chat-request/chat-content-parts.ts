import type { JsonObject } from '../../json/json-object.ts';

/** A content part; only texts have `text`. */
export interface Part extends JsonObject {
  type: string;
  text?: string;
}

const BETWEEN_TEXTS = '\n\n';

export function textPart(text: string): Part {
  return { type: 'text', text };
}

export function joined(texts: readonly string[]): string {
  return texts.join(BETWEEN_TEXTS);
}

/** Returns a string for texts, because every server accepts that, and parts for everything else. */
export function contentOf(parts: readonly Part[]): string | readonly Part[] {
  const texts = parts.flatMap(({ text }) => text ?? []);
  return texts.length === parts.length ? joined(texts) : parts;
}
