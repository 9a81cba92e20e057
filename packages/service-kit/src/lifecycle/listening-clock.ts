/** Interval of the checks. If a check comes later, the process was blocked for the difference. */
const CHECK_EVERY_MS = 25;
/** Timers are a little late on an idle machine, too. */
const LATE_MS = 10;

let checkedAtMs = 0;
let lostMs = 0;
let timer: NodeJS.Timeout | undefined;

/**
 * Returns milliseconds of a monotonic clock that stops while the event loop is blocked or waits for a CPU.
 * Use it for timeouts of peers: a reply that came meanwhile lies unread in a socket.
 */
export function listeningMs(): number {
  const now = performance.now();
  if (timer === undefined) {
    checkedAtMs = now;
    timer = setInterval(check, CHECK_EVERY_MS).unref();
  }
  return now - lostMs - behindMs(now);
}

function check(): void {
  const now = performance.now();
  lostMs += behindMs(now);
  checkedAtMs = now;
}

function behindMs(now: number): number {
  return Math.max(0, now - checkedAtMs - CHECK_EVERY_MS - LATE_MS);
}
