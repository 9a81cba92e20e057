/** A JSON object whose members are not known. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value itself where it is an object, else an empty one. */
export function objectOr(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns true if a value of JSON is an object, and neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
