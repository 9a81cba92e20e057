/** The control plane takes limits as uint32. */
const MAX_LIMIT = 4_294_967_295;

/** Parses a limit such as "1,000"; undefined if it is not a positive whole number. */
export function readRequestsPerMinute(text: string): number | undefined {
  const digits = text.trim().replaceAll(',', '');
  if (!/^\d{1,10}$/.test(digits)) return undefined;
  const limit = Number(digits);
  return limit >= 1 && limit <= MAX_LIMIT ? limit : undefined;
}
