export type Tokenizer = 'cl100k_base' | 'o200k_base';

/** Extracts the family: `openai/gpt-4o` and `ft:gpt-4o:acme` are both `gpt-4o`. */
const NAME = /^(?:.*\/)?(?:ft:)?([^:]+)/;
/**
 * Source: `MODEL_TO_ENCODING` and `MODEL_PREFIX_TO_ENCODING` of OpenAI's tiktoken. The first match counts.
 */
const FAMILIES: readonly (readonly [RegExp, Tokenizer])[] = [
  [/^(?:gpt-3\.?5|text-embedding-)/, 'cl100k_base'],
  [/^gpt-4(?:$|-(?!o))/, 'cl100k_base'],
  [/^(?:gpt-|chatgpt-|o\d|codex-)/, 'o200k_base'],
];

/** @returns undefined if the family's tokenizer is not public or not known here */
export function tokenizerOf(upstreamModel: string): Tokenizer | undefined {
  const name = NAME.exec(upstreamModel.toLowerCase())?.[1] ?? '';
  return FAMILIES.find(([family]) => family.test(name))?.[1];
}
