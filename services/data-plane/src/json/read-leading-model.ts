/** Only so much of the beginning of a body is looked at. No model's name is longer. */
const MAX_LOOKED_AT_BYTES = 1_024;
const MODEL_IN_FRONT = /^[ \t\r\n]*\{[ \t\r\n]*"model"[ \t\r\n]*:[ \t\r\n]*("[^"\\]+")/;

/**
 * Finds the model that a JSON body names as its first member, before the rest of the body has arrived. Most
 * clients put it there. A body that names another model further down is refused later, because a member is
 * then there twice.
 * @returns undefined when the name cannot be read simply
 */
export function readLeadingModel(arrived: readonly Buffer[]): string | undefined {
  const front = arrived[0]?.toString('utf8', 0, MAX_LOOKED_AT_BYTES);
  const [, model] = MODEL_IN_FRONT.exec(front ?? '') ?? [];
  return model?.slice(1, -1);
}
