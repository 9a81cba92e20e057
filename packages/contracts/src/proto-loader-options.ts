/**
 * How messages look in JavaScript; the type generator and the run-time loader must agree.
 * 64-bit integers are decimal strings: money does not fit a JavaScript number.
 */
export const PROTO_LOADER_OPTIONS = {
  longs: String,
  defaults: true,
  oneofs: true,
} as const;
