/**
 * The time between two looks at the clock. When a look comes later than this, the process was held up for the
 * difference.
 */
const LOOK_EVERY_MS = 25;
/** Timers are a little late on an idle machine, too. */
const LATE_MS = 10;

let lookedAtMs = 0;
let lostMs = 0;
let looks: NodeJS.Timeout | undefined;

/**
 * Returns milliseconds of a clock that stands still while this process cannot listen, because its event loop
 * is held up or it waits for a CPU. Only this time may be counted against somebody who is asked, because an
 * answer that came meanwhile lies unread in a socket. There is one such clock, because a process has one
 * event loop. It never goes back.
 */
export function listeningMs(): number {
  const now = performance.now();
  if (looks === undefined) {
    lookedAtMs = now;
    looks = setInterval(look, LOOK_EVERY_MS).unref();
  }
  return now - lostMs - behindMs(now);
}

function look(): void {
  const now = performance.now();
  lostMs += behindMs(now);
  lookedAtMs = now;
}

function behindMs(now: number): number {
  return Math.max(0, now - lookedAtMs - LOOK_EVERY_MS - LATE_MS);
}
