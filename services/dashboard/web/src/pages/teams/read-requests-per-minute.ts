/** As much as the server's 32 bits hold. */
const highest = 4_294_967_295;

/** A limit as somebody has typed it, "1,000" included; undefined: it is none. */
export function readRequestsPerMinute(text: string): number | undefined {
  const digits = text.trim().replaceAll(',', '');
  if (!/^\d{1,10}$/.test(digits)) {
    return undefined;
  }
  const limit = Number(digits);
  return limit >= 1 && limit <= highest ? limit : undefined;
}
