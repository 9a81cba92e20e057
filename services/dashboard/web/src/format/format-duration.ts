/** Formats a duration: `0.4 ms`, `840 ms`, `1.84 s`, `12.3 s`, `2 min 5 s`. @param ms milliseconds */
export function formatDuration(ms: number): string {
  if (ms < 1 && ms > 0) return `${ms.toFixed(1)} ms`;
  if (Math.round(ms) < 1000) return `${Math.round(ms)} ms`;
  if (ms < 9_995) return `${(ms / 1000).toFixed(2)} s`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
