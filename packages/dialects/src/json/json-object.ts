/** A JSON object whose members are not known. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value itself where it is an object, else an empty one. */
export function objectOr(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns the entries of a list that are objects; none of anything else. */
export function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** Returns the value itself if it is a string, else an empty one. */
export function textOr(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns an object with one member; undefined: an object without members. */
export function given(name: string, value: unknown): JsonObject {
  return value === undefined ? {} : { [name]: value };
}

/** Returns true if a value of JSON is an object, and neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
