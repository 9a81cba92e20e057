export const TIME_DIGITS = 16;
const PLACE = '\u0000';

/**
 * A writer of events that differ in their time alone.
 * @param event written with a text in the place of the time
 */
export function eventWithTime(event: (time: string) => string): (timeUs: number) => string {
  const [start = '', end = ''] = event(PLACE).split(JSON.stringify(PLACE).slice(1, -1));
  return (timeUs) => `${start}${String(timeUs).padStart(TIME_DIGITS, '0')}${end}`;
}
