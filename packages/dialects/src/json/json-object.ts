/** A JSON object whose members are not known. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns the value if it is an object, else an empty object. */
export function objectOr(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns the entries of an array that are objects; an empty array for any other value. */
export function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** Returns the value if it is a string, else an empty string. */
export function textOr(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns an object with this member, or an empty object if the value is undefined. */
export function given(name: string, value: unknown): JsonObject {
  return value === undefined ? {} : { [name]: value };
}

/** Returns false for null and arrays. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
