const SHOWN_MONTHS = 24;

const longMonth = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** Lists the last months (UTC), newest first, as options of a select. */
export function listMonths(now: Date): { value: string; label: string }[] {
  return Array.from({ length: SHOWN_MONTHS }, (_, ago) => {
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago));
    return { value: month.toISOString().slice(0, 7), label: longMonth.format(month) };
  });
}
