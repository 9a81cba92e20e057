import { SeededChoice } from './seeded-choice.ts';

/** The input of a tool comes in pieces of up to so many characters. */
const MAX_PIECE_CHARACTERS = 12;

/** Cuts the input of a tool anywhere, inside of names and escapes as well, only not inside of a character. */
export function* cutAnywhere(input: string): Generator<string> {
  const choice = new SeededChoice(input);
  const characters = [...input];
  for (let at = 0; at < characters.length; ) {
    const length = 1 + choice.below(MAX_PIECE_CHARACTERS);
    yield characters.slice(at, at + length).join('');
    at += length;
  }
}
