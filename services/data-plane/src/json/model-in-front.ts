/** How much of the beginning of a body is looked at: no model's name is longer than that. */
const MAX_LOOKED_AT_BYTES = 1_024;
const MODEL_IN_FRONT = /^[ \t\r\n]*\{[ \t\r\n]*"model"[ \t\r\n]*:[ \t\r\n]*("[^"\\]+")/;

/**
 * The model that a JSON body names as its first member, where most clients put it, before the rest of it has
 * come. A body that names another one further down is refused for that later: one of the two would be a
 * duplicate.
 * @returns undefined when it is not plain
 */
export function modelInFront(arrived: readonly Buffer[]): string | undefined {
  const front = arrived[0]?.toString('utf8', 0, MAX_LOOKED_AT_BYTES);
  const [, model] = MODEL_IN_FRONT.exec(front ?? '') ?? [];
  return model?.slice(1, -1);
}
