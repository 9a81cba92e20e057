/**
 * Calls `next` with a value at once, or when its promise resolves. Most steps of most requests do not wait,
 * and each promise costs up to 0.3 µs.
 */
export function continueWith<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
