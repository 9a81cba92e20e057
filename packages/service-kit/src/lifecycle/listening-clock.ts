/** Interval of the checks. If a check comes later, the process was blocked for the difference. */
const LOOK_EVERY_MS = 25;
/** Timers are a little late on an idle machine, too. */
const LATE_MS = 10;

let lookedAtMs = 0;
let lostMs = 0;
let looks: NodeJS.Timeout | undefined;

/**
 * Returns milliseconds of a monotonic clock that stops while the event loop is blocked or waits for a CPU.
 * Use it for timeouts of peers: a reply that came meanwhile lies unread in a socket.
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
