/**
 * Shared by type generator and loader. 64-bit integers are decimal strings: money exceeds JavaScript numbers.
 */
export const PROTO_LOADER_OPTIONS = {
  longs: String,
  defaults: true,
  oneofs: true,
} as const;
