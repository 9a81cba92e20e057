/** The largest number that the server's 32 bits hold. */
const highest = 4_294_967_295;

/** Reads a typed limit, "1,000" included; undefined: it is no limit. */
export function readRequestsPerMinute(text: string): number | undefined {
  const digits = text.trim().replaceAll(',', '');
  if (!/^\d{1,10}$/.test(digits)) {
    return undefined;
  }
  const limit = Number(digits);
  return limit >= 1 && limit <= highest ? limit : undefined;
}
