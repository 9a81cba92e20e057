import type { JsonObject } from '../../json/json-object.ts';

/** A part of a message of Chat Completions: text, or something else that has none. */
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

/** The content of a message: text alone is a string, which every server takes; parts are for all else. */
export function contentOf(parts: readonly Part[]): string | readonly Part[] {
  const texts = parts.flatMap(({ text }) => text ?? []);
  return texts.length === parts.length ? joined(texts) : parts;
}
