/** Bytes to inspect at the start of a body. No model name is longer. */
const MAX_INSPECTED_BYTES = 1_024;
const MODEL_IN_FRONT = /^[ \t\r\n]*\{[ \t\r\n]*"model"[ \t\r\n]*:[ \t\r\n]*("[^"\\]+")/;

/**
 * Reads `model` if it is the first member of a body that may still be arriving, as most clients send it. A
 * second `model` is refused later as a duplicate.
 * @returns undefined if the name cannot be read simply
 */
export function readLeadingModel(arrived: readonly Buffer[]): string | undefined {
  const front = arrived[0]?.toString('utf8', 0, MAX_INSPECTED_BYTES);
  const [, model] = MODEL_IN_FRONT.exec(front ?? '') ?? [];
  return model?.slice(1, -1);
}
