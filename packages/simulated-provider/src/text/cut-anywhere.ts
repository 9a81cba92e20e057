import { SeededChoice } from './seeded-choice.ts';

const MAX_PIECE_CHARACTERS = 12;

/** Cuts the input of a tool anywhere, even inside names and escapes, but not inside a character. */
export function* cutAnywhere(input: string): Generator<string> {
  const choice = new SeededChoice(input);
  const characters = [...input];
  for (let at = 0; at < characters.length; ) {
    const length = 1 + choice.below(MAX_PIECE_CHARACTERS);
    yield characters.slice(at, at + length).join('');
    at += length;
  }
}
