/** The grammar of a JSON number (RFC 8259, "Numbers") as a table: large responses are mostly numbers. */

const ENDS = 0xff;
const DIGITS = '0123456789';
const [MINUS, ZERO, WHOLE, POINT, FRACTION, EXPONENT, SIGN, POWER] = [0, 1, 2, 3, 4, 5, 6, 7] as const;

const NEXT: readonly (readonly [from: number, characters: string, to: number])[] = [
  [MINUS, '0', ZERO],
  [MINUS, '123456789', WHOLE],
  [ZERO, '.', POINT],
  [ZERO, 'eE', EXPONENT],
  [WHOLE, DIGITS, WHOLE],
  [WHOLE, '.', POINT],
  [WHOLE, 'eE', EXPONENT],
  [POINT, DIGITS, FRACTION],
  [FRACTION, DIGITS, FRACTION],
  [FRACTION, 'eE', EXPONENT],
  [EXPONENT, '+-', SIGN],
  [EXPONENT, DIGITS, POWER],
  [SIGN, DIGITS, POWER],
  [POWER, DIGITS, POWER],
];

const TABLE = new Uint8Array(8 * 256).fill(ENDS);
for (const [from, characters, to] of NEXT) {
  for (const byte of Buffer.from(characters)) TABLE[from * 256 + byte] = to;
}

/** Returns the state after the first byte. `endsNumber` is true for it if no number starts with that byte. */
export function startOfNumber(byte: number): number {
  return byte === 0x2d ? MINUS : nextInNumber(MINUS, byte);
}

export function nextInNumber(state: number, byte: number): number {
  return TABLE[state * 256 + byte] ?? ENDS;
}

/** Returns true if the byte that led to this state is not part of the number. */
export function endsNumber(state: number): boolean {
  return state === ENDS;
}

export function isWholeNumber(state: number): boolean {
  return state === ZERO || state === WHOLE || state === FRACTION || state === POWER;
}
